// Runs examples/hedging. How fast calls are depends on what else the machine
// does, so one good run of three is enough; that hedges are sent for about the
// share of slow answers does not depend on it.
#include "gtest/gtest.h"
#include "tests/examples/example_run.h"

namespace retrykit {
namespace {

// The program fails where the percentile did not bring p99 under a fifth, or
// cost more than 8 %.
ExampleRun BestOfThree() {
  ExampleRun run;
  for (int i = 0; i < 3 && run.exit_code != 0; ++i) {
    run = RunExample(
        "examples/hedging/hedging --fixed=examples/hedging/fixed.json "
        "--percentile=examples/hedging/percentile.json");
  }
  return run;
}

TEST(HedgingExample, CutsTheTailForLittleLoad) {
  const ExampleRun run = BestOfThree();
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(ShapesOf(run.lines),
            ShapesOf(ShownOutput("examples/hedging/README.md")));
  ASSERT_FALSE(run.lines.empty());
  const auto numbers = NumbersOf("hedging", run.lines.back());
  ASSERT_EQ(numbers.size(), 5u) << run.lines.back();
  EXPECT_GE(numbers.at("plain_p99_ms"), 50);
  EXPECT_LT(numbers.at("fixed_p99_ms"), numbers.at("plain_p99_ms"));
  EXPECT_LE(numbers.at("percentile_p99_ms") * 5, numbers.at("plain_p99_ms"));
  EXPECT_GT(numbers.at("percentile_extra_load"), 0.01);
  EXPECT_LE(numbers.at("percentile_extra_load"), 0.08);
}

}  // namespace
}  // namespace retrykit
