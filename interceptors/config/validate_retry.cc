#include <limits>

#include "interceptors/config/decimal_text.h"
#include "interceptors/config/field_rules.h"
#include "interceptors/config/validate.h"

namespace retrykit {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();
constexpr unsigned kMaxTokens = 1000;  // gRFC A6.

Jitter ToJitter(v1::MethodOptions::Jitter jitter) {
  switch (jitter) {
    case v1::MethodOptions::FULL:
      return Jitter::kFull;
    case v1::MethodOptions::EQUAL:
      return Jitter::kEqual;
    case v1::MethodOptions::PROPORTIONAL:
      return Jitter::kProportional;
    case v1::MethodOptions::NONE:
      return Jitter::kNone;
    default:
      return Jitter::kDecorrelated;
  }
}

BackoffOptions ValidateBackoff(const v1::RetryPolicy& policy,
                               ConfigErrors& errors) {
  BackoffOptions options;
  RequireField(policy.has_initial_backoff(), "initialBackoff", errors);
  RequireField(policy.has_max_backoff(), "maxBackoff", errors);
  RequireField(policy.has_backoff_multiplier(), "backoffMultiplier", errors);
  const auto initial =
      PositiveDuration(policy.has_initial_backoff(), policy.initial_backoff(),
                       "initialBackoff", errors);
  const auto most = PositiveDuration(
      policy.has_max_backoff(), policy.max_backoff(), "maxBackoff", errors);
  const auto multiplier =
      PositiveNumber(policy.has_backoff_multiplier(),
                     policy.backoff_multiplier(), "backoffMultiplier", errors);
  if (initial) options.initial_backoff = *initial;
  if (most) options.max_backoff = *most;
  if (multiplier) options.multiplier = *multiplier;
  return options;
}

}  // namespace

RetryOptions ValidateRetryPolicy(const v1::MethodConfig& config,
                                 ConfigErrors& errors) {
  const v1::RetryPolicy& policy = config.retry_policy();
  RetryOptions options;
  RequireField(policy.has_max_attempts(), "maxAttempts", errors);
  const auto attempts =
      IntBetween(policy.has_max_attempts(), policy.max_attempts(), 2, kMost,
                 "maxAttempts", errors);
  if (attempts) options.max_attempts = *attempts;
  options.backoff = ValidateBackoff(policy, errors);
  options.backoff.jitter = ToJitter(config.retrykit().jitter());
  options.retryable_status_codes = FailureCodes(policy.retryable_status_codes(),
                                                "retryableStatusCodes", errors);
  PositiveDuration(policy.has_per_attempt_recv_timeout(),
                   policy.per_attempt_recv_timeout(), "perAttemptRecvTimeout",
                   errors);
  // With a per-attempt timeout there is something to retry without any code.
  if (options.retryable_status_codes.empty() &&
      !policy.has_per_attempt_recv_timeout() &&
      !config.retrykit().has_per_attempt_timeout() &&
      !HasErrorsAt("retryableStatusCodes", errors)) {
    AddAt("retryableStatusCodes", "must be non-empty", errors);
  }
  return options;
}

RetryBudgetOptions ValidateThrottling(const v1::RetryThrottling& throttling,
                                      ConfigErrors& errors) {
  RetryBudgetOptions options;
  RequireField(throttling.has_max_tokens(), "maxTokens", errors);
  RequireField(throttling.has_token_ratio(), "tokenRatio", errors);
  if (throttling.has_max_tokens() && !HasErrorsAt("maxTokens", errors)) {
    if (throttling.max_tokens() == 0) {
      AddAt("maxTokens", "must be greater than 0", errors);
    } else if (throttling.max_tokens() > kMaxTokens) {
      AddAt("maxTokens", "must be at most 1000", errors);
    }
    options.max_milli_tokens = int64_t{throttling.max_tokens()} * 1000;
  }
  if (throttling.has_token_ratio() && !HasErrorsAt("tokenRatio", errors)) {
    const auto ratio = ParseThousandths(throttling.token_ratio().text());
    if (!ratio) {
      AddAt("tokenRatio", "could not parse as a number", errors);
    } else if (*ratio == 0) {
      AddAt("tokenRatio", "must be greater than 0", errors);
    }
    options.milli_token_ratio = ratio.value_or(0);
  }
  return options;
}

}  // namespace retrykit
