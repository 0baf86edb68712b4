#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "interceptors/config/duration_text.h"
#include "interceptors/config/field_rules.h"
#include "interceptors/config/validate.h"

namespace retrykit {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();
constexpr int kMaxWindowCalls = 1'000'000;

void ValidateWindow(const v1::CircuitBreaker& breaker,
                    CircuitBreakerOptions& options, ConfigErrors& errors) {
  const auto rate =
      Share(breaker.has_failure_rate_threshold(),
            breaker.failure_rate_threshold(), "failureRateThreshold", errors);
  const auto minimum =
      IntBetween(breaker.has_minimum_calls(), breaker.minimum_calls(), 1, kMost,
                 "minimumCalls", errors);
  const auto window = PositiveDuration(breaker.has_window(), breaker.window(),
                                       "window", errors);
  const auto calls =
      IntBetween(breaker.has_window_calls(), breaker.window_calls(), 1,
                 kMaxWindowCalls, "windowCalls", errors);
  const auto in_a_row = IntBetween(breaker.has_consecutive_failures(),
                                   breaker.consecutive_failures(), 1, kMost,
                                   "consecutiveFailures", errors);
  if (breaker.has_window() && breaker.has_window_calls()) {
    AddAt("windowCalls", "not together with window", errors);
  }
  if (rate) options.failure_rate_threshold = *rate;
  if (minimum) options.minimum_calls = *minimum;
  if (window) options.window = *window;
  if (calls) options.window_calls = *calls;
  if (in_a_row) options.consecutive_failures = *in_a_row;
}

void ValidateSlowCalls(const v1::CircuitBreaker& breaker,
                       CircuitBreakerOptions& options, ConfigErrors& errors) {
  const bool any = breaker.has_slow_call_duration() ||
                   breaker.has_slow_call_rate_threshold();
  if (!any) return;
  RequireField(breaker.has_slow_call_duration(), "slowCallDuration", errors);
  RequireField(breaker.has_slow_call_rate_threshold(), "slowCallRateThreshold",
               errors);
  const auto duration = PositiveDuration(breaker.has_slow_call_duration(),
                                         breaker.slow_call_duration(),
                                         "slowCallDuration", errors);
  const auto rate = Share(breaker.has_slow_call_rate_threshold(),
                          breaker.slow_call_rate_threshold(),
                          "slowCallRateThreshold", errors);
  if (duration) options.slow_call_duration = *duration;
  if (rate) options.slow_call_rate_threshold = *rate;
}

void ValidateOpenIntervals(const v1::CircuitBreaker& breaker,
                           CircuitBreakerOptions& options,
                           ConfigErrors& errors) {
  const auto open =
      PositiveDuration(breaker.has_open_duration(), breaker.open_duration(),
                       "openDuration", errors);
  if (open) options.open_duration = *open;
  options.max_open_duration =
      std::max(options.max_open_duration, options.open_duration);
  const auto most =
      PositiveDuration(breaker.has_max_open_duration(),
                       breaker.max_open_duration(), "maxOpenDuration", errors);
  if (most) {
    options.max_open_duration = *most;
    if (*most < options.open_duration) {
      AddAt("maxOpenDuration",
            absl::StrCat("must be at least openDuration (",
                         DurationText(options.open_duration), ")"),
            errors);
    }
  }
  const bool has_multiplier = breaker.has_open_multiplier();
  const double multiplier = breaker.open_multiplier();
  if (!has_multiplier || HasErrorsAt("openMultiplier", errors)) return;
  if (!(multiplier >= 1)) AddAt("openMultiplier", "must be at least 1", errors);
  options.open_multiplier = multiplier;
}

void ValidateProbes(const v1::CircuitBreaker& breaker,
                    CircuitBreakerOptions& options, ConfigErrors& errors) {
  const auto probes =
      IntBetween(breaker.has_half_open_probes(), breaker.half_open_probes(), 1,
                 kMost, "halfOpenProbes", errors);
  const auto successes = IntBetween(breaker.has_half_open_successes(),
                                    breaker.half_open_successes(), 1, kMost,
                                    "halfOpenSuccesses", errors);
  if (probes) options.half_open_probes = *probes;
  options.half_open_successes = successes.value_or(options.half_open_probes);
}

EnforcementMode ToMode(v1::CircuitBreaker::Mode mode) {
  switch (mode) {
    case v1::CircuitBreaker::REPORT_ONLY:
      return EnforcementMode::kReportOnly;
    case v1::CircuitBreaker::DISABLED:
      return EnforcementMode::kDisabled;
    default:
      return EnforcementMode::kEnforce;
  }
}

}  // namespace

CircuitBreakerOptions ValidateCircuitBreaker(const v1::CircuitBreaker& breaker,
                                             ConfigErrors& errors) {
  CircuitBreakerOptions options;
  ValidateWindow(breaker, options, errors);
  ValidateSlowCalls(breaker, options, errors);
  ValidateOpenIntervals(breaker, options, errors);
  ValidateProbes(breaker, options, errors);
  const StatusCodeSet codes = FailureCodes(breaker.failure_status_codes(),
                                           "failureStatusCodes", errors);
  if (!codes.empty()) options.failure_status_codes = codes;
  options.per_method = breaker.scope() == v1::CircuitBreaker::METHOD;
  options.mode = ToMode(breaker.mode());
  return options;
}

}  // namespace retrykit
