// Runs examples/chain: one layer retries, and its README shows that.
#include "gtest/gtest.h"
#include "tests/examples/example_run.h"

namespace retrykit {
namespace {

TEST(ChainExample, PrintsWhatItsReadmeShows) {
  const ExampleRun run = RunExample(
      "examples/chain/chain --allow=examples/chain/allow.json "
      "--suppress=examples/chain/suppress.json");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.lines, ShownOutput("examples/chain/README.md"));
  ASSERT_FALSE(run.lines.empty());
  const auto numbers = NumbersOf("chain", run.lines.back());
  ASSERT_EQ(numbers.size(), 3u) << run.lines.back();
  EXPECT_EQ(numbers.at("without"), 27);
  EXPECT_LE(numbers.at("suppress"), 7);
  EXPECT_LE(numbers.at("both"), 3);
}

}  // namespace
}  // namespace retrykit
