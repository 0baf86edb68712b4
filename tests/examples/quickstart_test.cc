// Runs the quickstart as a user does: it must do better than a plain channel,
// count right, and print what its README shows.
#include <map>
#include <regex>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/examples/example_run.h"

namespace retrykit {
namespace {

using ::testing::Ge;
using ::testing::Gt;
using ::testing::Le;

constexpr char kCommand[] =
    "examples/quickstart/quickstart "
    "--config=examples/quickstart/quickstart.json";
constexpr char kReadme[] = "examples/quickstart/README.md";

// One run for all tests: it takes ten seconds.
const ExampleRun& TheRun() {
  static const auto* const run = new ExampleRun(RunExample(kCommand));
  return *run;
}

std::map<std::string, double> Counts(const std::string& line) {
  return NumbersOf("quickstart", line);
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

std::set<std::string> Shapes(const TextLines& lines) {
  std::set<std::string> shapes;
  for (const std::string& line : lines) shapes.insert(Shape(line));
  return shapes;
}

TEST(QuickstartTest, DoesBetterThanAPlainChannel) {
  EXPECT_EQ(TheRun().exit_code, 0);
  ASSERT_FALSE(TheRun().lines.empty());
  const std::map<std::string, double> counts = Counts(TheRun().lines.back());
  ASSERT_EQ(counts.size(), 7u) << TheRun().lines.back();
  EXPECT_THAT(counts.at("ok"), Gt(counts.at("plain_ok")));
}

TEST(QuickstartTest, CountsAddUp) {
  ASSERT_FALSE(TheRun().lines.empty());
  const std::map<std::string, double> counts = Counts(TheRun().lines.back());
  ASSERT_EQ(counts.size(), 7u) << TheRun().lines.back();
  EXPECT_EQ(counts.at("calls"), 240);
  EXPECT_THAT(counts.at("ok"), Le(counts.at("calls")));
  EXPECT_THAT(counts.at("plain_ok"), Gt(0));
  // First attempts are those that are no retries; a call that the breaker
  // refuses has none.
  const double first = counts.at("attempts") - counts.at("retries");
  EXPECT_THAT(first, Ge(counts.at("ok")));
  EXPECT_THAT(first, Le(counts.at("calls")));
  EXPECT_THAT(counts.at("retries"), Gt(0));
  EXPECT_THAT(counts.at("suppressed"), Gt(0));
  EXPECT_THAT(counts.at("breaker_opened"), Gt(0));
}

TEST(QuickstartTest, PrintsWhatItsReadmeShows) {
  const TextLines shown = ShownOutput(kReadme);
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(Shapes(TheRun().lines), Shapes(shown));
  EXPECT_EQ(Shape(TheRun().lines.back()), Shape(shown.back()));
}

}  // namespace
}  // namespace retrykit
