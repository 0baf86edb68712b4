// When a closed breaker opens, and what an open one says.
#include "interceptors/policy/circuit_breaker.h"

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"
#include "interceptors/policy/deadline.h"
#include "interceptors/policy/retry_budget.h"
#include "tests/policy/tested_breaker.h"

namespace retrykit {
namespace {

using Result = CircuitBreaker::Result;
using State = CircuitBreaker::State;

constexpr absl::Duration kTick = absl::Nanoseconds(1);

TEST(CircuitBreakerTest, D01_OpensAtMinimumCallsNotOneEarlier) {
  TestedBreaker breaker({});
  breaker.Fail(19);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
  EXPECT_EQ(breaker.Log(), "closed>open");
}

TEST(CircuitBreakerTest, D01_ASuccessThatCompletesTheMinimumOpensToo) {
  TestedBreaker breaker({});
  breaker.Fail(10);
  breaker.Succeed(9);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Succeed();  // 10 of 20.
  EXPECT_EQ(breaker.Log(), "closed>open");
}

TEST(CircuitBreakerTest, D01_OpensAtTheThresholdNotOneFailureEarlier) {
  TestedBreaker below({});
  below.Succeed(11);
  below.Fail(9);
  EXPECT_EQ(below.state(), State::kClosed);
  below.Fail();  // 10 of 21.
  EXPECT_EQ(below.state(), State::kClosed);
  below.Fail();  // 11 of 22.
  EXPECT_EQ(below.state(), State::kOpen);

  TestedBreaker at({});
  at.Succeed(10);
  at.Fail(9);
  EXPECT_EQ(at.state(), State::kClosed);
  at.Fail();  // 10 of 20.
  EXPECT_EQ(at.state(), State::kOpen);
}

TEST(CircuitBreakerTest, NeutralAttemptsCountNeitherWay) {
  TestedBreaker breaker({});
  breaker.Fail(19);
  breaker.EndNeutrally(100);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(CircuitBreakerTest, ConsecutiveFailuresDoNotWaitForMinimumCalls) {
  CircuitBreakerOptions options;
  options.consecutive_failures = 3;
  TestedBreaker breaker(options);
  breaker.Fail(2);
  breaker.EndNeutrally();  // Neither ends the row nor adds to it.
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(CircuitBreakerTest, ASuccessEndsTheRow) {
  CircuitBreakerOptions options;
  options.consecutive_failures = 3;
  options.minimum_calls = 1000;
  TestedBreaker breaker(options);
  for (int i = 0; i < 100; ++i) {
    breaker.Fail(2);
    breaker.Succeed();
  }
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail(3);
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(CircuitBreakerTest, D07_SlowCallsOpenThoughAllSucceed) {
  CircuitBreakerOptions options;
  options.slow_call_duration = absl::Seconds(1);
  options.slow_call_rate_threshold = 0.8;
  options.minimum_calls = 10;
  TestedBreaker breaker(options);
  breaker.Succeed(2);
  breaker.SucceedSlowly(7);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.SucceedSlowly();  // 8 of 10.
  EXPECT_EQ(breaker.Log(), "closed>open");
}

TEST(CircuitBreakerTest, D07_SlowFailuresCountForBothRates) {
  CircuitBreakerOptions options;
  options.slow_call_duration = absl::Seconds(1);
  options.slow_call_rate_threshold = 0.5;
  options.failure_rate_threshold = 1;
  options.minimum_calls = 4;
  TestedBreaker breaker(options);
  breaker.Succeed(2);
  breaker.Record(breaker.Acquire().permit, Result::kFailure, /*slow=*/true);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Record(breaker.Acquire().permit, Result::kFailure, /*slow=*/true);
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(CircuitBreakerTest, D07_WithoutTheRuleNothingIsSlow) {
  TestedBreaker breaker({});
  breaker.SucceedSlowly(100);
  EXPECT_EQ(breaker.state(), State::kClosed);
  EXPECT_FALSE(CircuitBreaker({}, Instant()).IsSlow(absl::InfiniteDuration()));
}

TEST(CircuitBreakerTest, D07_SlowerThanTheLimitIsSlowTheLimitIsNot) {
  CircuitBreakerOptions options;
  options.slow_call_duration = absl::Seconds(1);
  const CircuitBreaker breaker(options, Instant());
  EXPECT_FALSE(breaker.IsSlow(absl::Seconds(1)));
  EXPECT_TRUE(breaker.IsSlow(absl::Seconds(1) + kTick));
}

TEST(CircuitBreakerTest, D08_TheTimeWindowForgetsAfterTenBuckets) {
  TestedBreaker breaker({});
  breaker.Fail(19);
  breaker.Advance(absl::Seconds(10) - kTick);
  TestedBreaker in_time({});
  in_time.Fail(19);
  in_time.Advance(absl::Seconds(10) - kTick);
  in_time.Fail();
  EXPECT_EQ(in_time.state(), State::kOpen);

  breaker.Advance(kTick);
  breaker.Fail(19);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(CircuitBreakerTest, D08_TheCountWindowHoldsTheLastOnes) {
  CircuitBreakerOptions options;
  options.window_calls = 20;
  TestedBreaker breaker(options);
  breaker.Fail(9);
  breaker.Succeed(20);
  breaker.Advance(absl::Hours(1000));
  breaker.Fail(9);  // The first nine have fallen out.
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(CircuitBreakerTest, D08_ACountWindowBelowTheMinimumNeverOpensByRate) {
  CircuitBreakerOptions options;
  options.window_calls = 19;
  TestedBreaker breaker(options);
  breaker.Fail(1000);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(CircuitBreakerTest, D08_AnEarlierNowDoesNoHarm) {
  TestedBreaker breaker({});
  breaker.Advance(absl::Seconds(30));
  breaker.Fail(19);
  breaker.Advance(-absl::Hours(1));
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
  // The open interval counts from the latest time seen, not from the earlier.
  breaker.Advance(absl::Hours(1) + absl::Seconds(5) - kTick);
  EXPECT_FALSE(breaker.Acquire().admitted);
  breaker.Advance(-absl::Hours(2));
  EXPECT_FALSE(breaker.Acquire().admitted);
  breaker.Advance(absl::Hours(2) + kTick);
  EXPECT_TRUE(breaker.Acquire().admitted);
}

TEST(CircuitBreakerTest, D02_OpenRefusesAndTellsTheTimeLeft) {
  TestedBreaker breaker({});
  breaker.Fail(20);
  const CircuitBreaker::Admission admission = breaker.Acquire();
  EXPECT_FALSE(admission.admitted);
  EXPECT_FALSE(admission.would_refuse);
  EXPECT_EQ(admission.retry_after, absl::Seconds(5));
  EXPECT_FALSE(admission.transition.has_value());
  EXPECT_TRUE(breaker.WouldRefuse());

  breaker.Advance(absl::Seconds(5) - kTick);
  EXPECT_EQ(breaker.Acquire().retry_after, kTick);
  EXPECT_TRUE(breaker.WouldRefuse());
  breaker.Advance(kTick);
  EXPECT_FALSE(breaker.WouldRefuse());
  EXPECT_EQ(breaker.state(), State::kOpen);  // Asking moves nothing.
}

TEST(CircuitBreakerTest, D05_ALateFailureFromBeforeTheChangeHasNoEffect) {
  TestedBreaker breaker({});
  const CircuitBreaker::Permit late_failure = breaker.Acquire().permit;
  const CircuitBreaker::Permit late_success = breaker.Acquire().permit;
  const CircuitBreaker::Permit after_closing = breaker.Acquire().permit;
  breaker.Fail(20);
  breaker.Record(late_failure, Result::kFailure);  // While open.
  breaker.Advance(absl::Seconds(5));
  breaker.Acquire();  // Half-open.
  breaker.Record(late_failure, Result::kFailure);
  for (int i = 0; i < 3; ++i) breaker.Record(late_success, Result::kSuccess);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  breaker.Succeed(3);
  EXPECT_EQ(breaker.Log(), "closed>open open>half_open half_open>closed");

  for (int i = 0; i < 100; ++i) breaker.Record(after_closing, Result::kFailure);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail(19);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(CircuitBreakerTest, APermitThatBelongsToNoStateHasNoEffect) {
  TestedBreaker breaker({});
  for (int i = 0; i < 100; ++i) breaker.Record({}, Result::kFailure);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(CircuitBreakerTest, ChanceIsDrawnOnlyWhenItOpens) {
  TestedBreaker breaker({});
  breaker.Succeed(100);
  breaker.Fail(99);
  EXPECT_EQ(breaker.draws(), 0u);
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
  EXPECT_EQ(breaker.draws(), 1u);
  breaker.Advance(absl::Seconds(5));
  breaker.Succeed(3);
  EXPECT_EQ(breaker.state(), State::kClosed);
  EXPECT_EQ(breaker.draws(), 1u);
}

// One caller gives each attempt 1 ms, the others 1 s, and the server answers
// after 5 ms: the impatient one's attempts end before they say anything.
TEST(CircuitBreakerTest, D13_OneImpatientCallerDoesNotOpenItForAll) {
  const CircuitBreaker classifier({}, Instant());
  TestedBreaker breaker({});
  for (int i = 0; i < 1000; ++i) {
    AttemptLimits limits;
    limits.start = breaker.now();
    limits.overall = breaker.now() + absl::Milliseconds(1);
    const CircuitBreaker::Permit impatient = breaker.Acquire().permit;
    const CircuitBreaker::Permit patient = breaker.Acquire().permit;
    breaker.Advance(absl::Milliseconds(1));
    const absl::StatusCode code = absl::StatusCode::kDeadlineExceeded;
    ASSERT_EQ(classifier.Classify(code), Result::kFailure);
    breaker.Record(impatient, CutShortByCall(limits, code, breaker.now())
                                  ? Result::kNeutral
                                  : classifier.Classify(code));
    breaker.Advance(absl::Milliseconds(4));
    if (i % 10 == 0) breaker.Record(patient, Result::kSuccess);
  }
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(CircuitBreakerTest, ClassifiesByTheCodeAlone) {
  const CircuitBreaker breaker({}, Instant());
  for (int number = 0; number <= 16; ++number) {
    const auto code = static_cast<absl::StatusCode>(number);
    Result expected = Result::kSuccess;
    switch (code) {
      case absl::StatusCode::kUnavailable:
      case absl::StatusCode::kDeadlineExceeded:
      case absl::StatusCode::kInternal:
      case absl::StatusCode::kUnknown:
      case absl::StatusCode::kDataLoss:
        expected = Result::kFailure;
        break;
      case absl::StatusCode::kResourceExhausted:
        expected = Result::kNeutral;
        break;
      default:
        break;
    }
    EXPECT_EQ(breaker.Classify(code), expected) << number;
  }
}

TEST(CircuitBreakerTest, ResourceExhaustedIsAFailureWhereItIsListed) {
  CircuitBreakerOptions options;
  options.failure_status_codes = {absl::StatusCode::kResourceExhausted};
  const CircuitBreaker breaker(options, Instant());
  EXPECT_EQ(breaker.Classify(absl::StatusCode::kResourceExhausted),
            Result::kFailure);
  EXPECT_EQ(breaker.Classify(absl::StatusCode::kUnavailable), Result::kSuccess);
}

TEST(CircuitBreakerTest, StateTextsAreTheWordsOfTheMetrics) {
  EXPECT_STREQ(CircuitStateText(State::kClosed), "closed");
  EXPECT_STREQ(CircuitStateText(State::kOpen), "open");
  EXPECT_STREQ(CircuitStateText(State::kHalfOpen), "half_open");
}

}  // namespace
}  // namespace retrykit
