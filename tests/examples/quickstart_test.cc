// Runs the quickstart as a user does: it must do better than a plain channel,
// count right, and print what its README shows.

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::Ge;
using ::testing::Gt;
using ::testing::Le;

using Lines = std::vector<std::string>;

constexpr char kCommand[] =
    "examples/quickstart/quickstart "
    "--config=examples/quickstart/quickstart.json";
constexpr char kReadme[] = "examples/quickstart/README.md";

Lines LinesOf(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  std::string line;
  while (std::getline(stream, line)) lines.push_back(line);
  return lines;
}

struct Run {
  Lines lines;
  int exit_code = -1;
};

Run RunQuickstart() {
  Run run;
  FILE* const output = popen(kCommand, "r");
  std::string text;
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof(part), output)) {
    text.append(part, size);
  }
  const int status = pclose(output);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  run.lines = LinesOf(text);
  return run;
}

// One run for all tests: it takes ten seconds.
const Run& TheRun() {
  static const auto* const run = new Run(RunQuickstart());
  return *run;
}

// "quickstart: calls=240 ok=..." as numbers by name; empty if it is no such
// line.
std::map<std::string, int> Counts(const std::string& line) {
  std::map<std::string, int> counts;
  std::istringstream words(line);
  std::string word;
  if (!(words >> word) || word != "quickstart:") return {};
  while (words >> word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) return {};
    counts[word.substr(0, equals)] = std::stoi(word.substr(equals + 1));
  }
  return counts;
}

// What the README shows after the command: the block that begins with "$ ".
Lines ReadmeOutput() {
  std::ifstream file(kReadme);
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  Lines output;
  bool inside = false;
  for (const std::string& line : LinesOf(text)) {
    if (line == "```") inside = false;
    if (inside) output.push_back(line);
    if (line.rfind("$ bazel run ", 0) == 0) inside = true;
  }
  return output;
}

// A line without its numbers, codes and states; the texts of statuses, which
// are gRPC's, not at all.
std::string Shape(const std::string& line) {
  if (line.rfind("      ", 0) == 0) return "(status text)";
  std::string shape = std::regex_replace(line, std::regex("[0-9.]+"), "N");
  shape = std::regex_replace(shape, std::regex("[A-Z]+(_[A-Z]+)*\\b"), "CODE");
  shape = std::regex_replace(shape, std::regex("(closed|half_open|open)\\b"),
                             "state");
  return std::regex_replace(shape, std::regex(" +"), " ");
}

std::set<std::string> Shapes(const Lines& lines) {
  std::set<std::string> shapes;
  for (const std::string& line : lines) shapes.insert(Shape(line));
  return shapes;
}

TEST(QuickstartTest, DoesBetterThanAPlainChannel) {
  EXPECT_EQ(TheRun().exit_code, 0);
  ASSERT_FALSE(TheRun().lines.empty());
  const std::map<std::string, int> counts = Counts(TheRun().lines.back());
  ASSERT_EQ(counts.size(), 7u) << TheRun().lines.back();
  EXPECT_THAT(counts.at("ok"), Gt(counts.at("plain_ok")));
}

TEST(QuickstartTest, CountsAddUp) {
  ASSERT_FALSE(TheRun().lines.empty());
  const std::map<std::string, int> counts = Counts(TheRun().lines.back());
  ASSERT_EQ(counts.size(), 7u) << TheRun().lines.back();
  EXPECT_EQ(counts.at("calls"), 240);
  EXPECT_THAT(counts.at("ok"), Le(counts.at("calls")));
  EXPECT_THAT(counts.at("plain_ok"), Gt(0));
  // First attempts are those that are no retries; a call that the breaker
  // refuses has none.
  const int first = counts.at("attempts") - counts.at("retries");
  EXPECT_THAT(first, Ge(counts.at("ok")));
  EXPECT_THAT(first, Le(counts.at("calls")));
  EXPECT_THAT(counts.at("retries"), Gt(0));
  EXPECT_THAT(counts.at("suppressed"), Gt(0));
  EXPECT_THAT(counts.at("breaker_opened"), Gt(0));
}

TEST(QuickstartTest, PrintsWhatItsReadmeShows) {
  const Lines shown = ReadmeOutput();
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(Shapes(TheRun().lines), Shapes(shown));
  EXPECT_EQ(Shape(TheRun().lines.back()), Shape(shown.back()));
}

}  // namespace
