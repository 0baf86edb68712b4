#include "absl/time/time.h"
#include "interceptors/config/field_rules.h"
#include "interceptors/config/validate.h"

namespace retrykit {
namespace {

void ValidatePerAttemptTimeout(const v1::MethodConfig& config,
                               MethodPolicy& policy, ConfigErrors& errors) {
  const v1::RetryPolicy& retry = config.retry_policy();
  if (retry.has_per_attempt_recv_timeout()) {
    policy.per_attempt_timeout = ToDuration(retry.per_attempt_recv_timeout());
  }
  const ConfigErrors::Field field(errors, "retrykit");
  const auto timeout = PositiveDuration(
      config.retrykit().has_per_attempt_timeout(),
      config.retrykit().per_attempt_timeout(), "perAttemptTimeout", errors);
  if (timeout) policy.per_attempt_timeout = *timeout;
  if (config.retrykit().has_per_attempt_timeout() &&
      retry.has_per_attempt_recv_timeout()) {
    AddAt("perAttemptTimeout",
          "not together with retryPolicy.perAttemptRecvTimeout", errors);
  }
}

void ValidateHedgingParts(const v1::MethodConfig& config, MethodPolicy& policy,
                          ConfigErrors& errors) {
  if (config.has_hedging_policy()) {
    const ConfigErrors::Field field(errors, "hedgingPolicy");
    policy.hedging = ValidateHedgingPolicy(config.hedging_policy(), errors);
    if (config.has_retry_policy()) {
      errors.Add("not together with retryPolicy");
    }
  }
  if (!config.retrykit().has_hedging()) return;
  const bool broken_policy = HasErrorsAt("hedgingPolicy", errors);
  const ConfigErrors::Field retrykit(errors, "retrykit");
  const ConfigErrors::Field field(errors, "hedging");
  if (!policy.hedging && !broken_policy) errors.Add("needs hedgingPolicy");
  HedgingOptions unused;
  ValidateHedging(
      config.retrykit().hedging(),
      config.hedging_policy().has_hedging_delay() || !policy.hedging,
      policy.hedging ? *policy.hedging : unused, errors);
}

void ValidateOptions(const v1::MethodOptions& options, MethodPolicy& policy,
                     ConfigErrors& errors) {
  const ConfigErrors::Field retrykit(errors, "retrykit");
  policy.suppress_nested_retries =
      options.nested_retries() != v1::MethodOptions::ALLOW;
  if (options.has_min_attempt_time()) {
    policy.min_attempt_time = ToDuration(options.min_attempt_time());
  }
  if (options.has_circuit_breaker()) {
    const ConfigErrors::Field field(errors, "circuitBreaker");
    policy.breaker = ValidateCircuitBreaker(options.circuit_breaker(), errors);
  }
  if (options.has_idempotency_key()) {
    const ConfigErrors::Field field(errors, "idempotencyKey");
    policy.idempotency_key_header =
        ValidateIdempotencyKey(options.idempotency_key(), errors);
  }
}

}  // namespace

MethodPolicy ValidateMethodConfig(const v1::MethodConfig& config,
                                  ConfigErrors& errors) {
  MethodPolicy policy;
  // "0s" means unset, with a warning.
  const absl::Duration timeout = ToDuration(config.timeout());
  if (timeout > absl::ZeroDuration()) policy.timeout = timeout;
  if (config.has_wait_for_ready()) {
    policy.wait_for_ready = config.wait_for_ready();
  }
  if (config.has_retry_policy()) {
    const ConfigErrors::Field field(errors, "retryPolicy");
    policy.retry = ValidateRetryPolicy(config, errors);
  }
  ValidatePerAttemptTimeout(config, policy, errors);
  ValidateHedgingParts(config, policy, errors);
  ValidateOptions(config.retrykit(), policy, errors);
  return policy;
}

}  // namespace retrykit
