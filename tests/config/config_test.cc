// From a whole file to what it means.

#include "interceptors/config/config.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/config/parsing.h"

namespace retrykit {
namespace {

// The example of the specification.
constexpr absl::string_view kExample = R"({
  "loadBalancingConfig": [{"round_robin": {}}],
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
  "methodConfig": [{
    "name": [{"service": "payments.v1.Payments", "method": "Charge"}],
    "timeout": "2s",
    "waitForReady": false,
    "retryPolicy": {
      "maxAttempts": 4, "initialBackoff": "0.05s", "maxBackoff": "1s",
      "backoffMultiplier": 1.5, "retryableStatusCodes": ["UNAVAILABLE"]
    },
    "retrykit": {
      "jitter": "DECORRELATED",
      "perAttemptTimeout": "0.5s",
      "minAttemptTime": "0.001s",
      "nestedRetries": "SUPPRESS",
      "idempotencyKey": {"header": "idempotency-key"},
      "circuitBreaker": {"failureRateThreshold": 0.5, "minimumCalls": 20,
                         "window": "10s", "openDuration": "5s",
                         "maxOpenDuration": "60s", "halfOpenProbes": 3}
    }
  }],
  "retrykit": {"throttlingMode": "ENFORCE"}
})";

const MethodPolicy& OnlyPolicy(const ParsedConfig& config) {
  return *config.table->policies().at(0);
}

MethodPolicy PolicyOf(absl::string_view members) {
  return OnlyPolicy(Parsed(OneMethod(members)));
}

TEST(Config, ExampleSetsEveryPolicy) {
  const ParsedConfig config = Parsed(kExample);
  const MethodPolicy& policy = OnlyPolicy(config);
  EXPECT_EQ(policy.entry, "/payments.v1.Payments/Charge");
  EXPECT_EQ(policy.timeout, absl::Seconds(2));
  EXPECT_EQ(policy.wait_for_ready, false);
  ASSERT_TRUE(policy.retry);
  EXPECT_EQ(policy.retry->max_attempts, 4);
  EXPECT_EQ(policy.retry->backoff.initial_backoff, absl::Milliseconds(50));
  EXPECT_EQ(policy.retry->backoff.max_backoff, absl::Seconds(1));
  EXPECT_EQ(policy.retry->backoff.multiplier, 1.5);
  EXPECT_EQ(policy.retry->backoff.jitter, Jitter::kDecorrelated);
  EXPECT_EQ(policy.retry->retryable_status_codes,
            StatusCodeSet({absl::StatusCode::kUnavailable}));
  EXPECT_FALSE(policy.hedging);
  EXPECT_EQ(policy.per_attempt_timeout, absl::Milliseconds(500));
  EXPECT_EQ(policy.min_attempt_time, absl::Milliseconds(1));
  EXPECT_TRUE(policy.suppress_nested_retries);
  EXPECT_EQ(policy.idempotency_key_header, "idempotency-key");
  EXPECT_TRUE(policy.breaker);
}

TEST(Config, ExampleSetsBudgetAndHasNoWarning) {
  const ParsedConfig config = Parsed(kExample);
  ASSERT_TRUE(config.throttling);
  EXPECT_EQ(config.throttling->max_milli_tokens, 10'000);
  EXPECT_EQ(config.throttling->milli_token_ratio, 100);
  EXPECT_EQ(config.throttling->mode, EnforcementMode::kEnforce);
  EXPECT_EQ(config.warnings, std::vector<std::string>());
  EXPECT_EQ(config.core_json,
            R"({"loadBalancingConfig":[{"round_robin":{}}]})");
}

TEST(Config, EmptyFileHasNoPolicy) {
  const ParsedConfig config = Parsed("{}");
  EXPECT_TRUE(config.table->policies().empty());
  EXPECT_FALSE(config.throttling);
  EXPECT_EQ(config.core_json, "{}");
  EXPECT_EQ(SmallestInitialBackoff(*config.table), absl::nullopt);
  EXPECT_EQ(SmallestOpenDuration(*config.table), absl::nullopt);
}

TEST(Config, NullIsAnAbsentField) {
  const ParsedConfig config = Parsed(R"({"methodConfig":[{"name":[{}],
      "timeout":null,"retryPolicy":null,"retrykit":null}],
      "retryThrottling":null,"loadBalancingConfig":null,"retrykit":null})");
  EXPECT_FALSE(OnlyPolicy(config).has_any());
  EXPECT_FALSE(config.throttling);
  EXPECT_EQ(config.core_json, "{}");
}

TEST(Config, BreakerDefaults) {
  const auto breaker = *PolicyOf(R"("retrykit":{"circuitBreaker":{}})").breaker;
  EXPECT_TRUE(breaker == CircuitBreakerOptions());
  EXPECT_EQ(breaker.failure_rate_threshold, 0.5);
  EXPECT_EQ(breaker.minimum_calls, 20);
  EXPECT_EQ(breaker.window, absl::Seconds(10));
  EXPECT_EQ(breaker.window_calls, 0);
  EXPECT_EQ(breaker.consecutive_failures, 0);
  EXPECT_FALSE(breaker.has_slow_calls());
  EXPECT_EQ(
      breaker.failure_status_codes,
      StatusCodeSet({absl::StatusCode::kUnavailable,
                     absl::StatusCode::kDeadlineExceeded,
                     absl::StatusCode::kInternal, absl::StatusCode::kUnknown,
                     absl::StatusCode::kDataLoss}));
  EXPECT_EQ(breaker.open_duration, absl::Seconds(5));
  EXPECT_EQ(breaker.max_open_duration, absl::Seconds(60));
  EXPECT_EQ(breaker.open_multiplier, 2);
  EXPECT_EQ(breaker.half_open_probes, 3);
  EXPECT_EQ(breaker.half_open_successes, 3);
  EXPECT_FALSE(breaker.per_method);
  EXPECT_EQ(breaker.mode, EnforcementMode::kEnforce);
}

TEST(Config, BreakerWithEveryField) {
  const auto breaker = *PolicyOf(R"("retrykit":{"circuitBreaker":{
      "failureRateThreshold":0.25,"minimumCalls":5,"windowCalls":50,
      "consecutiveFailures":7,"slowCallDuration":"0.3s",
      "slowCallRateThreshold":1,"failureStatusCodes":["aborted",8],
      "openDuration":"90s","openMultiplier":1,"halfOpenProbes":1,
      "halfOpenSuccesses":4,"scope":"METHOD","mode":"REPORT_ONLY"}})")
                            .breaker;
  EXPECT_EQ(breaker.failure_rate_threshold, 0.25);
  EXPECT_EQ(breaker.minimum_calls, 5);
  EXPECT_EQ(breaker.window_calls, 50);
  EXPECT_EQ(breaker.consecutive_failures, 7);
  EXPECT_EQ(breaker.slow_call_duration, absl::Milliseconds(300));
  EXPECT_EQ(breaker.slow_call_rate_threshold, 1);
  EXPECT_EQ(breaker.failure_status_codes,
            StatusCodeSet({absl::StatusCode::kAborted,
                           absl::StatusCode::kResourceExhausted}));
  EXPECT_EQ(breaker.open_duration, absl::Seconds(90));
  EXPECT_EQ(breaker.max_open_duration, absl::Seconds(90));
  EXPECT_EQ(breaker.open_multiplier, 1);
  EXPECT_EQ(breaker.half_open_probes, 1);
  EXPECT_EQ(breaker.half_open_successes, 4);
  EXPECT_TRUE(breaker.per_method);
  EXPECT_EQ(breaker.mode, EnforcementMode::kReportOnly);
}

TEST(Config, HalfOpenSuccessesFollowTheProbes) {
  const auto policy =
      PolicyOf(R"("retrykit":{"circuitBreaker":{"halfOpenProbes":8}})");
  EXPECT_EQ(policy.breaker->half_open_successes, 8);
}

TEST(Config, HedgingWithDefaults) {
  const auto policy = PolicyOf(R"("hedgingPolicy":{"maxAttempts":3})");
  ASSERT_TRUE(policy.hedging);
  EXPECT_EQ(policy.hedging->max_attempts, 3);
  EXPECT_EQ(policy.hedging->hedging_delay, absl::ZeroDuration());
  EXPECT_TRUE(policy.hedging->non_fatal_status_codes.empty());
  EXPECT_EQ(policy.hedging->delay_percentile, 0);
  EXPECT_EQ(policy.hedging->min_delay, absl::Milliseconds(1));
  EXPECT_EQ(policy.hedging->max_extra_load, absl::nullopt);
  EXPECT_EQ(policy.hedging->mode, EnforcementMode::kEnforce);
}

TEST(Config, PercentileBringsAnExtraLoadLimit) {
  const auto hedging = *PolicyOf(R"(
      "hedgingPolicy":{"maxAttempts":2,"hedgingDelay":"0.05s",
                       "nonFatalStatusCodes":["UNAVAILABLE"]},
      "retrykit":{"hedging":{"delayPercentile":95,"minDelay":"0.002s",
                             "mode":"REPORT_ONLY"}})")
                            .hedging;
  EXPECT_EQ(hedging.delay_percentile, 95);
  EXPECT_EQ(hedging.hedging_delay, absl::Milliseconds(50));
  EXPECT_EQ(hedging.min_delay, absl::Milliseconds(2));
  EXPECT_EQ(hedging.max_extra_load, 0.1);
  EXPECT_EQ(hedging.mode, EnforcementMode::kReportOnly);
}

TEST(Config, EveryJitter) {
  const std::pair<const char*, Jitter> rows[] = {
      {"DECORRELATED", Jitter::kDecorrelated},
      {"FULL", Jitter::kFull},
      {"EQUAL", Jitter::kEqual},
      {"PROPORTIONAL", Jitter::kProportional},
      {"NONE", Jitter::kNone}};
  for (const auto& row : rows) {
    const auto policy = PolicyOf(absl::StrCat(
        kRetryPolicy, R"(,"retrykit":{"jitter":")", row.first, "\"}"));
    EXPECT_EQ(policy.retry->backoff.jitter, row.second) << row.first;
  }
}

TEST(Config, OtherSettings) {
  const auto policy = PolicyOf(R"("waitForReady":true,
      "retrykit":{"nestedRetries":"ALLOW","minAttemptTime":"0s"})");
  EXPECT_EQ(policy.wait_for_ready, true);
  EXPECT_FALSE(policy.suppress_nested_retries);
  EXPECT_EQ(policy.min_attempt_time, absl::ZeroDuration());
}

TEST(Config, ZeroTimeoutIsUnsetWithAWarning) {
  const auto config = Parsed(OneMethod(R"("timeout":"0s")"));
  EXPECT_FALSE(OnlyPolicy(config).timeout);
  EXPECT_EQ(config.warnings,
            std::vector<std::string>(
                {"methodConfig[0].timeout: zero means unset, no limit"}));
}

TEST(Config, PerAttemptRecvTimeoutIsAnotherSpelling) {
  const auto policy = PolicyOf(R"("retryPolicy":{"maxAttempts":3,
      "initialBackoff":"0.1s","maxBackoff":"1s","backoffMultiplier":2,
      "retryableStatusCodes":[],"perAttemptRecvTimeout":"0.2s"})");
  EXPECT_EQ(policy.per_attempt_timeout, absl::Milliseconds(200));
  EXPECT_TRUE(policy.retry->retryable_status_codes.empty());
}

TEST(Config, StatusCodesByNumberAndInAnyCase) {
  const auto policy = PolicyOf(R"("retryPolicy":{"maxAttempts":3,
      "initialBackoff":"0.1s","maxBackoff":"1s","backoffMultiplier":2,
      "retryableStatusCodes":["unavailable","Data_Loss",8,"10"]})");
  EXPECT_EQ(
      policy.retry->retryable_status_codes,
      StatusCodeSet(
          {absl::StatusCode::kUnavailable, absl::StatusCode::kDataLoss,
           absl::StatusCode::kResourceExhausted, absl::StatusCode::kAborted}));
}

TEST(Config, NumbersMayStandInStrings) {
  const auto policy = PolicyOf(R"("retryPolicy":{"maxAttempts":"3",
      "initialBackoff":"0.1s","maxBackoff":"1s","backoffMultiplier":"2.5",
      "retryableStatusCodes":["ABORTED"]})");
  EXPECT_EQ(policy.retry->max_attempts, 3);
  EXPECT_EQ(policy.retry->backoff.multiplier, 2.5);
}

TEST(Config, TokenRatioHasThreeDecimals) {
  const auto config =
      Parsed(R"({"retryThrottling":{"maxTokens":1000,"tokenRatio":0.2909},
                 "retrykit":{"throttlingMode":"REPORT_ONLY"}})");
  EXPECT_EQ(config.throttling->max_milli_tokens, 1'000'000);
  EXPECT_EQ(config.throttling->milli_token_ratio, 290);
  EXPECT_EQ(config.throttling->mode, EnforcementMode::kReportOnly);
}

TEST(Config, IntegerTokenRatioIsWholeTokens) {
  const auto config =
      Parsed(R"({"retryThrottling":{"maxTokens":5,"tokenRatio":1}})");
  EXPECT_EQ(config.throttling->milli_token_ratio, 1000);
}

TEST(Config, SmallestDurations) {
  const auto config = Parsed(R"({"methodConfig":[
      {"name":[{"service":"A"}],"retryPolicy":{"maxAttempts":2,
       "initialBackoff":"0.3s","maxBackoff":"1s","backoffMultiplier":2,
       "retryableStatusCodes":[14]},
       "retrykit":{"circuitBreaker":{"openDuration":"9s"}}},
      {"name":[{"service":"B"}],"retryPolicy":{"maxAttempts":2,
       "initialBackoff":"0.2s","maxBackoff":"1s","backoffMultiplier":2,
       "retryableStatusCodes":[14]},
       "retrykit":{"circuitBreaker":{"openDuration":"7s"}}}]})");
  EXPECT_EQ(SmallestInitialBackoff(*config.table), absl::Milliseconds(200));
  EXPECT_EQ(SmallestOpenDuration(*config.table), absl::Seconds(7));
}

}  // namespace
}  // namespace retrykit
