// What the guide and the pages on the command and on the tour's configs show is
// what it prints.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/cli/documented_commands.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kTour[] = "examples/service_config_tour/";

void ExpectShownOutputs(const std::string& path, size_t at_least) {
  const auto commands = CommandsOf(ReadDisk(path));
  EXPECT_GE(commands.size(), at_least) << path;
  const std::map<std::string, std::string> elsewhere = {
      {"shop.pb",
       ReadDisk(absl::StrCat(kTour, "shop_proto-descriptor-set.proto.bin"))}};
  for (const DocumentedCommand& documented : commands) {
    const std::string output = OutputOf(documented.command, elsewhere);
    if (Shows(documented.shown, output)) continue;
    EXPECT_EQ(documented.shown, output) << path << ": " << documented.command;
  }
}

class TourTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TourTest, ConfigIsGood) {
  const std::string config = absl::StrCat(kTour, GetParam(), ".json");
  const std::string output =
      OutputOf(absl::StrCat("check --strict --descriptor-set=", kTour,
                            "shop_proto-descriptor-set.proto.bin ", config),
               {});
  EXPECT_EQ(output, absl::StrCat(config, ": OK\n"));
}

TEST_P(TourTest, ItsPageShowsWhatTheCommandPrints) {
  ExpectShownOutputs(absl::StrCat(kTour, GetParam(), ".md"), 1);
}

TEST_P(TourTest, ItsPageNamesEveryFieldOfTheConfig) {
  const std::string page = ReadDisk(absl::StrCat(kTour, GetParam(), ".md"));
  const std::string config = ReadDisk(absl::StrCat(kTour, GetParam(), ".json"));
  for (size_t end = config.find("\":"); end != std::string::npos;
       end = config.find("\":", end + 1)) {
    const size_t begin = config.rfind('"', end - 1) + 1;
    const std::string key = config.substr(begin, end - begin);
    EXPECT_TRUE(absl::StrContains(page, key)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Configs, TourTest,
    ::testing::Values("idempotent_reads", "writes_with_keys", "streaming_watch",
                      "hedged_suggestions"),
    [](const auto& tried) { return std::string(tried.param); });

TEST(PagesTest, TheToursReadme) {
  ExpectShownOutputs(absl::StrCat(kTour, "README.md"), 2);
}

TEST(PagesTest, TheGuide) { ExpectShownOutputs("docs/guide.md", 4); }

TEST(PagesTest, TheMigrationPage) {
  ExpectShownOutputs("docs/migrating.md", 1);
}

TEST(PagesTest, TheCommandsReadme) { ExpectShownOutputs("cli/README.md", 3); }

TEST(DocumentedCommandsTest, DotsStandForAnyLines) {
  EXPECT_TRUE(Shows("a\nb\n", "a\nb\n"));
  EXPECT_FALSE(Shows("a\n", "a\nb\n"));
  EXPECT_TRUE(Shows("a\n...\n", "a\nb\n"));
  EXPECT_TRUE(Shows("a\n...\nd\n", "a\nb\nc\nd\n"));
  EXPECT_FALSE(Shows("a\n...\nd\n", "a\nb\nc\n"));
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
