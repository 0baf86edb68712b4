#include "interceptors/core/clock.h"

#include "gtest/gtest.h"
#include "interceptors/core/instant.h"

namespace retrykit {
namespace {

TEST(MonotonicClockTest, NeverGoesBack) {
  Instant last = MonotonicClock().Now();
  for (int i = 0; i < 1000; ++i) {
    const Instant now = MonotonicClock().Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(MonotonicClockTest, IsOneForTheWholeProgram) {
  EXPECT_EQ(&MonotonicClock(), &MonotonicClock());
}

}  // namespace
}  // namespace retrykit
