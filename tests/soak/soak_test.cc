#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/soak/soak_run.h"

namespace retrykit {
namespace {

TEST(SoakTest, F03_EveryCallEndsOnceInTimeAndLeavesNothing) {
  const SoakSettings settings;
  const SoakFigures figures = RunSoak(settings);
  std::fputs(SoakText(figures).c_str(), stdout);
  EXPECT_THAT(SoakVerdict(settings, figures), ::testing::IsEmpty());
  // All that was to happen has.
  EXPECT_EQ(figures.calls, settings.warm_up + settings.calls);
  EXPECT_EQ(figures.calls_by_style.size(), 14u);
  EXPECT_GT(figures.faults.resets, 0);
  EXPECT_GT(figures.faults.kills, 0);
  EXPECT_GT(figures.faults.delays, 0);
  EXPECT_GT(figures.breaker_changes, 0);
  for (const char* reason : {"success", "breaker", "budget", "max_attempts"}) {
    EXPECT_GT(figures.ends_by_reason.count(reason), 0u) << reason;
  }
}

}  // namespace
}  // namespace retrykit
