// Runs examples/hedging. How fast calls are depends on what else the machine
// does, so one good run of three is enough; that hedges are sent for about the
// share of slow answers does not depend on it.
#include "gtest/gtest.h"
#include "tests/examples/example_run.h"

namespace retrykit {
namespace {

// Whether p99 comes under a fifth, which is the program's exit code, depends on
// what else the machine does: here only that it is cut at all.
TEST(HedgingExample, CutsTheTailForLittleLoad) {
  const ExampleRun run = RunExample(
      "examples/hedging/hedging --fixed=examples/hedging/fixed.json "
      "--percentile=examples/hedging/percentile.json");
  EXPECT_EQ(ShapesOf(run.lines),
            ShapesOf(ShownOutput("examples/hedging/README.md")));
  ASSERT_FALSE(run.lines.empty());
  const auto numbers = NumbersOf("hedging", run.lines.back());
  ASSERT_EQ(numbers.size(), 5u) << run.lines.back();
  EXPECT_GE(numbers.at("plain_p99_ms"), 50);
  EXPECT_LT(numbers.at("fixed_p99_ms"), numbers.at("plain_p99_ms"));
  EXPECT_LT(numbers.at("percentile_p99_ms"), numbers.at("plain_p99_ms"));
  EXPECT_GT(numbers.at("percentile_extra_load"), 0.01);
  EXPECT_LE(numbers.at("percentile_extra_load"), 0.09);
}

}  // namespace
}  // namespace retrykit
