// What a config says about one method: plain, validated, immutable.
//
// Made by the config room, one per methodConfig entry; read by every call.
//
// Thread-safety: immutable after construction. Lifetime: shared by the table
// of a ServiceConfig and the calls that use it.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_METHOD_POLICY_H_
#define RETRYKIT_INTERCEPTORS_POLICY_METHOD_POLICY_H_

#include <string>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/status_code_set.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {

// `retryPolicy` of gRFC A6.
struct RetryOptions {
  int max_attempts = 2;  // >= 2, the first attempt included; not yet clamped.
  BackoffOptions backoff;
  StatusCodeSet retryable_status_codes;
};

// `hedgingPolicy` of gRFC A6 and `retrykit.hedging`.
struct HedgingOptions {
  int max_attempts = 2;  // >= 2; not yet clamped.
  absl::Duration hedging_delay = absl::ZeroDuration();  // Zero: all at once.
  StatusCodeSet non_fatal_status_codes;
  int delay_percentile = 0;  // 1 to 99; 0: use hedging_delay.
  absl::Duration min_delay =
      absl::Milliseconds(1);              // Floor of the percentile's delay.
  absl::optional<double> max_extra_load;  // (0, ...); unset: no limit.
  EnforcementMode mode = EnforcementMode::kEnforce;
};

struct MethodPolicy {
  // The entry's names, sorted and joined by a comma ("/pkg.Svc/Method",
  // "/pkg.Svc/", or "default"): the breaker's key and metric label.
  std::string entry;

  absl::optional<absl::Duration> timeout;  // > 0. Overall; unset: none.
  absl::optional<bool> wait_for_ready;
  absl::optional<RetryOptions>
      retry;  // At most one of retry and hedging is set…
  absl::optional<HedgingOptions> hedging;  // …or neither.
  absl::optional<CircuitBreakerOptions> breaker;

  absl::Duration per_attempt_timeout = absl::InfiniteDuration();  // > 0.
  absl::Duration min_attempt_time = absl::Milliseconds(1);        // >= 0.
  bool suppress_nested_retries = true;
  std::string idempotency_key_header;  // Empty: none.

  // False: calls of the method are passed through untouched.
  bool has_any() const {
    return timeout || wait_for_ready || retry || hedging || breaker ||
           per_attempt_timeout < absl::InfiniteDuration() ||
           !idempotency_key_header.empty();
  }
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_METHOD_POLICY_H_
