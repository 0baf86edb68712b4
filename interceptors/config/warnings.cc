#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/config/config.h"
#include "interceptors/config/duration_text.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/method_policy.h"

namespace retrykit {
namespace {

using Warnings = std::vector<std::string>;

// A channel of a toolkit tries a lost connection again no sooner.
constexpr absl::Duration kLeastReconnectDelay = absl::Milliseconds(50);
// Enough to sum up delays; a longer sequence has reached its cap.
constexpr int kMostSummedDelays = 1000;
// Half of it must be left after one failure, which takes 1.
constexpr int64_t kUselessMilliTokens = 2000;

std::string EntryPath(std::size_t index) {
  return absl::StrCat("methodConfig[", index, "]");
}

// The longest delay before a retry that follows one after `previous`.
absl::Duration LongestNext(const BackoffOptions& options,
                           absl::Duration previous, absl::Duration plain) {
  absl::Duration longest = plain;
  if (options.jitter == Jitter::kDecorrelated) {
    longest =
        std::max(options.initial_backoff, 2 * options.multiplier * previous);
  } else if (options.jitter == Jitter::kProportional) {
    longest = 1.2 * plain;
  }
  return std::min(longest, options.max_backoff);
}

// The longest that all backoffs of a call can last together.
absl::Duration LongestBackoffs(const RetryOptions& retry, int limit) {
  const int retries =
      std::min({retry.max_attempts, limit, kMostSummedDelays}) - 1;
  absl::Duration sum;
  absl::Duration previous = retry.backoff.initial_backoff;
  absl::Duration plain = retry.backoff.initial_backoff;
  for (int i = 0; i < retries; ++i) {
    previous = LongestNext(retry.backoff, previous, plain);
    plain =
        std::min(plain * retry.backoff.multiplier, retry.backoff.max_backoff);
    sum += previous;
  }
  return sum;
}

void WarnOfClamp(const std::string& path, int attempts, int limit,
                 Warnings& warnings) {
  if (attempts <= limit) return;
  warnings.push_back(
      absl::StrCat(path, ".maxAttempts: ", attempts, " is clamped to ", limit));
}

void WarnOfClamps(const std::string& path, const MethodPolicy& policy,
                  int limit, Warnings& warnings) {
  if (policy.retry) {
    WarnOfClamp(path + ".retryPolicy", policy.retry->max_attempts, limit,
                warnings);
  }
  if (policy.hedging) {
    WarnOfClamp(path + ".hedgingPolicy", policy.hedging->max_attempts, limit,
                warnings);
  }
}

void WarnOfBackoff(const std::string& path, const MethodPolicy& policy,
                   absl::Duration reconnect, int limit, Warnings& warnings) {
  if (!policy.retry) return;
  const BackoffOptions& backoff = policy.retry->backoff;
  const absl::Duration first =
      std::min(backoff.initial_backoff, backoff.max_backoff);
  if (policy.timeout && *policy.timeout < first) {
    warnings.push_back(
        absl::StrCat(path, ".timeout: ", DurationText(*policy.timeout),
                     " is shorter than the first backoff (",
                     DurationText(first), "): no retry can happen"));
  }
  const absl::Duration sum = LongestBackoffs(*policy.retry, limit);
  if (sum < reconnect && policy.retry->retryable_status_codes.Contains(
                             absl::StatusCode::kUnavailable)) {
    warnings.push_back(absl::StrCat(
        path, ".retryPolicy: all backoffs together end after ",
        DurationText(sum), ", before a lost connection is tried again (",
        DurationText(reconnect), ")"));
  }
}

void WarnOfHedging(const std::string& path, const MethodPolicy& policy,
                   Warnings& warnings) {
  if (!policy.hedging || !policy.timeout) return;
  const absl::Duration delay = policy.hedging->hedging_delay;
  if (delay < *policy.timeout) return;
  warnings.push_back(absl::StrCat(
      path, ".hedgingPolicy.hedgingDelay: ", DurationText(delay),
      " is not shorter than timeout (", DurationText(*policy.timeout),
      "): no hedge can be sent by it"));
}

void WarnOfAttempts(const std::string& path, const MethodPolicy& policy,
                    Warnings& warnings) {
  const bool limited = policy.per_attempt_timeout < absl::InfiniteDuration();
  if (limited && policy.wait_for_ready.value_or(false)) {
    warnings.push_back(
        absl::StrCat(path,
                     ".waitForReady: waiting for a connection counts towards "
                     "perAttemptTimeout"));
  }
  if (!policy.idempotency_key_header.empty()) return;
  const bool repeats = policy.hedging || (policy.retry && limited);
  if (!repeats) return;
  warnings.push_back(
      absl::StrCat(path, ": ", policy.hedging ? "hedging" : "perAttemptTimeout",
                   kMayBeCarriedOutTwice));
}

void WarnOfBreaker(const std::string& path, const MethodPolicy& policy,
                   Warnings& warnings) {
  if (!policy.breaker || policy.breaker->window_calls == 0) return;
  const CircuitBreakerOptions& breaker = *policy.breaker;
  if (breaker.window_calls >= breaker.minimum_calls) return;
  warnings.push_back(absl::StrCat(
      path, ".retrykit.circuitBreaker.windowCalls: ", breaker.window_calls,
      " is smaller than minimumCalls (", breaker.minimum_calls,
      "): no rate can open it"));
}

void WarnOfThrottling(const ParsedConfig& config, Warnings& warnings) {
  if (config.throttling &&
      config.throttling->max_milli_tokens <= kUselessMilliTokens) {
    warnings.push_back(
        "retryThrottling.maxTokens: at 2 or less no retry can ever happen");
  }
  if (config.throttling) return;
  const auto& policies = config.table->policies();
  const bool retries =
      std::any_of(policies.begin(), policies.end(),
                  [](const auto& policy) { return policy->retry.has_value(); });
  if (!retries) return;
  warnings.push_back(
      "retryThrottling: not present: nothing limits retries during an outage");
}

}  // namespace

std::vector<std::string> WarningsFor(const ParsedConfig& config,
                                     int max_attempts_limit) {
  Warnings warnings = config.text_warnings;
  WarnOfThrottling(config, warnings);
  const absl::Duration reconnect = std::max(
      kLeastReconnectDelay,
      SmallestInitialBackoff(*config.table).value_or(kLeastReconnectDelay));
  const auto& policies = config.table->policies();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string path = EntryPath(i);
    const MethodPolicy& policy = *policies[i];
    WarnOfClamps(path, policy, max_attempts_limit, warnings);
    WarnOfBackoff(path, policy, reconnect, max_attempts_limit, warnings);
    WarnOfHedging(path, policy, warnings);
    WarnOfAttempts(path, policy, warnings);
    WarnOfBreaker(path, policy, warnings);
  }
  return warnings;
}

std::vector<std::string> ClampWarnings(const ParsedConfig& config,
                                       int max_attempts_limit) {
  Warnings warnings;
  const auto& policies = config.table->policies();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    WarnOfClamps(EntryPath(i), *policies[i], max_attempts_limit, warnings);
  }
  return warnings;
}

}  // namespace retrykit
