// How an open breaker finds out whether the server is well again.
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/policy/circuit_breaker.h"
#include "tests/policy/tested_breaker.h"

namespace retrykit {
namespace {

using Result = CircuitBreaker::Result;
using State = CircuitBreaker::State;

constexpr absl::Duration kTick = absl::Nanoseconds(1);

void Open(TestedBreaker& breaker) {
  breaker.Fail(20);
  breaker.Log();
}

TEST(ProbesTest, D03_ExactlyTheProbesPassOnceTheIntervalHasPassed) {
  TestedBreaker breaker({});
  Open(breaker);
  breaker.Advance(absl::Seconds(5) - kTick);
  EXPECT_FALSE(breaker.Acquire().admitted);
  EXPECT_EQ(breaker.Log(), "");
  breaker.Advance(kTick);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(breaker.WouldRefuse());
    const CircuitBreaker::Admission admission = breaker.Acquire();
    EXPECT_TRUE(admission.admitted);
    EXPECT_EQ(admission.transition.has_value(), i == 0);
    EXPECT_GE(admission.permit.probe, 0);
  }
  EXPECT_EQ(breaker.Log(), "open>half_open");
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(breaker.WouldRefuse());
    const CircuitBreaker::Admission admission = breaker.Acquire();
    EXPECT_FALSE(admission.admitted);
    EXPECT_EQ(admission.retry_after, absl::ZeroDuration());
  }
}

TEST(ProbesTest, D04_EnoughSuccessesCloseItWithAnEmptyWindow) {
  TestedBreaker breaker({});
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  breaker.Succeed(2);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  breaker.Succeed();
  EXPECT_EQ(breaker.Log(), "open>half_open half_open>closed");
  breaker.Fail(19);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(ProbesTest, D04_MoreSuccessesThanProbesComeOneAfterAnother) {
  CircuitBreakerOptions options;
  options.half_open_probes = 1;
  options.half_open_successes = 3;
  TestedBreaker breaker(options);
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  for (int i = 0; i < 3; ++i) {
    const CircuitBreaker::Admission admission = breaker.Acquire();
    ASSERT_TRUE(admission.admitted);
    EXPECT_FALSE(breaker.Acquire().admitted);
    breaker.Record(admission.permit, Result::kSuccess);
  }
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(ProbesTest, D04_OneFailureReopens) {
  TestedBreaker breaker({});
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  const CircuitBreaker::Permit other = breaker.Acquire().permit;
  breaker.Succeed();
  breaker.Fail();
  EXPECT_EQ(breaker.Log(), "open>half_open half_open>open");
  breaker.Record(other, Result::kFailure);  // Late: the state has changed.
  EXPECT_EQ(breaker.Log(), "");
  EXPECT_EQ(breaker.Acquire().retry_after, absl::Seconds(10));
}

TEST(ProbesTest, D04_SuccessesOfAnEarlierHalfOpenStateDoNotAddUp) {
  TestedBreaker breaker({});
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  breaker.Succeed(2);
  breaker.Fail();
  breaker.Advance(absl::Seconds(10));
  breaker.Succeed(2);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
}

TEST(ProbesTest, D04_TheIntervalGrowsUpToItsMaximumAndStartsAnewOnceClosed) {
  TestedBreaker breaker({});
  Open(breaker);
  for (int seconds : {5, 10, 20, 40, 60, 60}) {
    ASSERT_EQ(breaker.Acquire().retry_after, absl::Seconds(seconds));
    breaker.Advance(absl::Seconds(seconds));
    breaker.Fail();
  }
  breaker.Advance(absl::Seconds(60));
  breaker.Succeed(3);
  ASSERT_EQ(breaker.state(), State::kClosed);
  breaker.Fail(20);
  EXPECT_EQ(breaker.Acquire().retry_after, absl::Seconds(5));
}

TEST(ProbesTest, TheIntervalIsSpreadByATwentyPercent) {
  struct Row {
    double fraction;
    absl::Duration least;
    absl::Duration most;
  };
  for (const Row& row :
       {Row{0, absl::Seconds(4), absl::Seconds(4)},
        Row{0.25, absl::Milliseconds(4500), absl::Milliseconds(4500)},
        Row{1, absl::Milliseconds(5999), absl::Seconds(6)}}) {
    TestedBreaker breaker({}, {row.fraction});
    Open(breaker);
    EXPECT_GE(breaker.Acquire().retry_after, row.least);
    EXPECT_LE(breaker.Acquire().retry_after, row.most);
  }
}

TEST(ProbesTest, TheIntervalNeverExceedsTheMaximumAndAFifth) {
  CircuitBreakerOptions options;
  options.max_open_duration = absl::Seconds(7);
  options.open_multiplier = 1e300;
  TestedBreaker breaker(options, {1});
  Open(breaker);
  for (int i = 0; i < 5; ++i) {
    breaker.Advance(breaker.Acquire().retry_after);
    breaker.Fail();
    ASSERT_EQ(breaker.state(), State::kOpen);
    EXPECT_LE(breaker.Acquire().retry_after, 1.2 * absl::Seconds(7));
    EXPECT_GE(breaker.Acquire().retry_after, absl::Milliseconds(8399));
  }
}

TEST(ProbesTest, AnInfiniteIntervalNeverEnds) {
  CircuitBreakerOptions options;
  options.open_duration = absl::InfiniteDuration();
  options.max_open_duration = absl::InfiniteDuration();
  TestedBreaker breaker(options);
  Open(breaker);
  breaker.Advance(absl::Hours(24 * 365 * 100));
  EXPECT_FALSE(breaker.Acquire().admitted);
}

TEST(ProbesTest, D06_ANeutralOrDroppedProbeComesBack) {
  TestedBreaker breaker({});
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  for (int i = 0; i < 100; ++i) breaker.EndNeutrally(3);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  breaker.Succeed(3);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(ProbesTest, D06_ASecondReturnHasNoEffect) {
  TestedBreaker breaker({});
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  const CircuitBreaker::Permit permit = breaker.Acquire().permit;
  for (int i = 0; i < 5; ++i) breaker.Record(permit, Result::kSuccess);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  breaker.Record(permit, Result::kFailure);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(breaker.Acquire().admitted);
  EXPECT_FALSE(breaker.Acquire().admitted);
}

TEST(ProbesTest, D06_AHungProbeIsGivenOutAgainAfterTheOpenDuration) {
  CircuitBreakerOptions options;
  options.half_open_probes = 1;
  options.half_open_successes = 1;
  TestedBreaker breaker(options);
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  const CircuitBreaker::Permit hung = breaker.Acquire().permit;
  breaker.Advance(absl::Seconds(5) - kTick);
  EXPECT_TRUE(breaker.WouldRefuse());
  EXPECT_FALSE(breaker.Acquire().admitted);
  breaker.Advance(kTick);
  EXPECT_FALSE(breaker.WouldRefuse());
  const CircuitBreaker::Admission again = breaker.Acquire();
  ASSERT_TRUE(again.admitted);

  breaker.Record(hung, Result::kFailure);
  breaker.Record(hung, Result::kSuccess);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  breaker.Record(again.permit, Result::kSuccess);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(ProbesTest, D06_AnEarlierNowTakesNoProbeAway) {
  TestedBreaker breaker({});
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(breaker.Acquire().admitted);
  breaker.Advance(-absl::Hours(1));
  EXPECT_FALSE(breaker.Acquire().admitted);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
}

TEST(ProbesTest, ASlowProbeIsAFailedOneWhereSlowCallsAreARule) {
  CircuitBreakerOptions options;
  options.slow_call_duration = absl::Seconds(1);
  TestedBreaker breaker(options);
  Open(breaker);
  breaker.Advance(absl::Seconds(5));
  breaker.SucceedSlowly();
  EXPECT_EQ(breaker.Log(), "open>half_open half_open>open");

  TestedBreaker without_rule({});
  Open(without_rule);
  without_rule.Advance(absl::Seconds(5));
  without_rule.SucceedSlowly(3);
  EXPECT_EQ(without_rule.state(), State::kClosed);
}

}  // namespace
}  // namespace retrykit
