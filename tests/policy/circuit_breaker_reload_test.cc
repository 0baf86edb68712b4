// Modes other than ENFORCE, and other numbers for a breaker in use.
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"
#include "tests/policy/tested_breaker.h"

namespace retrykit {
namespace {

using Result = CircuitBreaker::Result;
using State = CircuitBreaker::State;

constexpr absl::Duration kTick = absl::Nanoseconds(1);

CircuitBreakerOptions OptionsOf(EnforcementMode mode) {
  CircuitBreakerOptions options;
  options.mode = mode;
  return options;
}

CircuitBreakerOptions ReportOnly() {
  return OptionsOf(EnforcementMode::kReportOnly);
}
CircuitBreakerOptions Disabled() {
  return OptionsOf(EnforcementMode::kDisabled);
}

// Other numbers than the default.
CircuitBreakerOptions Other() {
  CircuitBreakerOptions options;
  options.minimum_calls = 10;
  return options;
}

TEST(ReportOnlyTest, D09_EverythingPassesAndSaysWhatWouldBeRefused) {
  TestedBreaker breaker(ReportOnly());
  EXPECT_FALSE(breaker.Acquire().would_refuse);
  breaker.Fail(20);
  EXPECT_EQ(breaker.Log(), "closed>open");
  for (int i = 0; i < 10; ++i) {
    const CircuitBreaker::Admission admission = breaker.Acquire();
    EXPECT_TRUE(admission.admitted);
    EXPECT_TRUE(admission.would_refuse);
    EXPECT_EQ(admission.retry_after, absl::Seconds(5));
    EXPECT_FALSE(breaker.WouldRefuse());
  }
}

TEST(ReportOnlyTest, D09_GoesThroughTheStatesThatEnforceWouldGoThrough) {
  TestedBreaker breaker(ReportOnly());
  breaker.Fail(20);
  breaker.Fail(100);  // Would have been refused: without effect.
  breaker.Advance(absl::Seconds(5));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(breaker.Acquire().would_refuse);
  }
  const CircuitBreaker::Admission fourth = breaker.Acquire();
  EXPECT_TRUE(fourth.admitted && fourth.would_refuse);
  breaker.Record(fourth.permit, Result::kFailure);
  EXPECT_EQ(breaker.Log(), "closed>open open>half_open");
  breaker.Advance(absl::Seconds(5));  // The three hang: given out again.
  breaker.Succeed(3);
  EXPECT_EQ(breaker.Log(), "half_open>closed");
}

TEST(DisabledTest, AdmitsAllAndMeasuresNothing) {
  TestedBreaker breaker(Disabled());
  breaker.Fail(1000);
  EXPECT_TRUE(breaker.Acquire().admitted);
  EXPECT_FALSE(breaker.Acquire().would_refuse);
  EXPECT_FALSE(breaker.WouldRefuse());
  EXPECT_EQ(breaker.Log(), "");
}

TEST(DisabledTest, AnOpenBreakerAdmitsOnceDisabledAndGoesOnWhenEnabled) {
  TestedBreaker breaker({});
  breaker.Fail(20);
  breaker.Reconfigure(Disabled());
  EXPECT_TRUE(breaker.Acquire().admitted);
  EXPECT_FALSE(breaker.WouldRefuse());
  breaker.Reconfigure({});
  EXPECT_FALSE(breaker.Acquire().admitted);
}

TEST(ReloadTest, D14_SameNumbersKeepStateWindowAndPermits) {
  TestedBreaker breaker({});
  const CircuitBreaker::Permit permit = breaker.Acquire().permit;
  breaker.Fail(18);
  breaker.Reconfigure({});
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Record(permit, Result::kFailure);
  EXPECT_EQ(breaker.state(), State::kOpen);
  breaker.Reconfigure({});
  EXPECT_EQ(breaker.Acquire().retry_after, absl::Seconds(5));
}

TEST(ReloadTest, D14_OtherNumbersKeepAClosedStateAndStartTheWindowAnew) {
  TestedBreaker breaker({});
  const CircuitBreaker::Permit old_permit = breaker.Acquire().permit;
  breaker.Fail(19);
  breaker.Reconfigure(Other());
  EXPECT_EQ(breaker.state(), State::kClosed);
  for (int i = 0; i < 50; ++i) breaker.Record(old_permit, Result::kFailure);
  breaker.Fail(9);
  EXPECT_EQ(breaker.state(), State::kClosed);
  breaker.Fail();
  EXPECT_EQ(breaker.Log(), "closed>open");
}

TEST(ReloadTest, D14_OtherNumbersStartARowAnew) {
  CircuitBreakerOptions options;
  options.consecutive_failures = 3;
  TestedBreaker breaker(options);
  breaker.Fail(2);
  options.minimum_calls = 10;
  breaker.Reconfigure(options);
  breaker.Fail(2);
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(ReloadTest, D14_OtherNumbersKeepAnOpenStateToItsEnd) {
  TestedBreaker breaker({});
  breaker.Fail(20);
  breaker.Advance(absl::Seconds(2));
  CircuitBreakerOptions options = Other();
  options.open_duration = absl::Seconds(1);
  breaker.Reconfigure(options);
  EXPECT_EQ(breaker.state(), State::kOpen);
  EXPECT_EQ(breaker.Acquire().retry_after, absl::Seconds(3));
  breaker.Advance(absl::Seconds(3));
  EXPECT_TRUE(breaker.Acquire().admitted);
}

TEST(ReloadTest, D14_OtherNumbersKeepAHalfOpenStateWithFreshProbes) {
  TestedBreaker breaker({});
  breaker.Fail(20);
  breaker.Advance(absl::Seconds(5));
  const CircuitBreaker::Permit old_probe = breaker.Acquire().permit;
  breaker.Succeed(2);
  CircuitBreakerOptions options = Other();
  options.half_open_probes = 1;
  breaker.Reconfigure(options);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  breaker.Record(old_probe, Result::kFailure);
  EXPECT_EQ(breaker.state(), State::kHalfOpen);
  const CircuitBreaker::Permit probe = breaker.Acquire().permit;
  EXPECT_FALSE(breaker.Acquire().admitted);
  breaker.Record(old_probe, Result::kSuccess);
  EXPECT_FALSE(breaker.Acquire().admitted);
  breaker.Record(probe, Result::kSuccess);
  breaker.Succeed();
  EXPECT_EQ(breaker.state(), State::kHalfOpen);  // Two of three.
  breaker.Succeed();
  EXPECT_EQ(breaker.state(), State::kClosed);
}

TEST(ReloadTest, D14_TheWindowMayChangeItsKind) {
  TestedBreaker breaker({});
  breaker.Fail(19);
  CircuitBreakerOptions options;
  options.window_calls = 20;
  breaker.Reconfigure(options);
  breaker.Fail(19);
  breaker.Advance(absl::Hours(1));
  breaker.Fail();
  EXPECT_EQ(breaker.state(), State::kOpen);
}

TEST(ReloadTest, D14_CodesAndSlowLimitFollowAtOnce) {
  CircuitBreaker breaker({}, Instant());
  CircuitBreakerOptions options;
  options.failure_status_codes = {absl::StatusCode::kAborted};
  options.slow_call_duration = absl::Seconds(1);
  breaker.Reconfigure(options, Instant());
  EXPECT_EQ(breaker.Classify(absl::StatusCode::kAborted), Result::kFailure);
  EXPECT_EQ(breaker.Classify(absl::StatusCode::kUnavailable), Result::kSuccess);
  EXPECT_TRUE(breaker.IsSlow(absl::Seconds(1) + kTick));
  EXPECT_TRUE(breaker.options() == options);
}

TEST(ReloadTest, D14_EveryNumberMakesAnOtherOne) {
  const CircuitBreakerOptions base;
  CircuitBreakerOptions others[15];
  others[0].failure_rate_threshold = 0.6;
  others[1].minimum_calls = 21;
  others[2].window = absl::Seconds(11);
  others[3].window_calls = 5;
  others[4].consecutive_failures = 5;
  others[5].slow_call_duration = absl::Seconds(1);
  others[6].slow_call_rate_threshold = 0.9;
  others[7].failure_status_codes = {absl::StatusCode::kAborted};
  others[8].open_duration = absl::Seconds(6);
  others[9].max_open_duration = absl::Seconds(61);
  others[10].open_multiplier = 3;
  others[11].half_open_probes = 4;
  others[12].half_open_successes = 4;
  others[13].per_method = true;
  others[14].mode = EnforcementMode::kReportOnly;
  EXPECT_TRUE(base == CircuitBreakerOptions());
  for (const CircuitBreakerOptions& other : others) {
    EXPECT_FALSE(base == other) << &other - others;
  }
}

}  // namespace
}  // namespace retrykit
