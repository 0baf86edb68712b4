#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace retrykit {
namespace cli {
namespace {

using ::testing::ElementsAre;

absl::StatusOr<Arguments> Parse(const std::vector<std::string>& words) {
  return Arguments::Parse(words, {{"json"}, {"svg", true}, {"seed", true}});
}

std::string ErrorOf(const std::vector<std::string>& words) {
  return std::string(Parse(words).status().message());
}

TEST(ArgumentsTest, TellsFlagsFromFiles) {
  const auto parsed = Parse({"a", "--json", "-", "--svg=x=y", "--seed", "7"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->files(), ElementsAre("a", "-"));
  EXPECT_TRUE(parsed->Has("json"));
  EXPECT_EQ(parsed->Text("svg"), "x=y");
  EXPECT_EQ(parsed->Text("seed"), "7");
}

TEST(ArgumentsTest, TwoDashesEndTheFlags) {
  const auto parsed = Parse({"--", "--json"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->files(), ElementsAre("--json"));
  EXPECT_FALSE(parsed->Has("json"));
}

TEST(ArgumentsTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf({"--colour=red"}), "unknown flag --colour");
  EXPECT_EQ(ErrorOf({"-json"}), "unknown flag -json");
  EXPECT_EQ(ErrorOf({"--json=1"}), "--json: takes no value");
  EXPECT_EQ(ErrorOf({"--svg"}), "--svg: needs a value");
}

TEST(ArgumentsTest, WholeNumbersHaveARange) {
  const auto parsed = Parse({"--seed=100"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->Whole("seed", 1, 0, 100).value(), 100);
  EXPECT_EQ(parsed->Whole("svg", 5, 0, 1).value(), 5);
  EXPECT_EQ(parsed->Whole("seed", 1, 0, 99).status().message(),
            "--seed: must be a whole number from 0 to 99");
  EXPECT_FALSE(Parse({"--seed=1.5"})->Whole("seed", 1, 0, 99).ok());
  EXPECT_FALSE(Parse({"--seed="})->Whole("seed", 1, 0, 99).ok());
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
