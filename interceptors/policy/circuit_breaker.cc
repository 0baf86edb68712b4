#include "interceptors/policy/circuit_breaker.h"

namespace retrykit {

bool operator==(const CircuitBreakerOptions& a,
                const CircuitBreakerOptions& b) {
  return a.failure_rate_threshold == b.failure_rate_threshold &&
         a.minimum_calls == b.minimum_calls && a.window == b.window &&
         a.window_calls == b.window_calls &&
         a.consecutive_failures == b.consecutive_failures &&
         a.slow_call_duration == b.slow_call_duration &&
         a.slow_call_rate_threshold == b.slow_call_rate_threshold &&
         a.failure_status_codes == b.failure_status_codes &&
         a.open_duration == b.open_duration &&
         a.max_open_duration == b.max_open_duration &&
         a.open_multiplier == b.open_multiplier &&
         a.half_open_probes == b.half_open_probes &&
         a.half_open_successes == b.half_open_successes &&
         a.per_method == b.per_method && a.mode == b.mode;
}

CircuitBreaker::CircuitBreaker(const CircuitBreakerOptions& options, Instant)
    : options_(options) {}
CircuitBreaker::Admission CircuitBreaker::TryAcquire(Instant) { return {}; }
bool CircuitBreaker::WouldRefuse(Instant) const { return false; }
absl::optional<CircuitBreaker::Transition> CircuitBreaker::Record(
    const Permit&, Result, bool, Instant, absl::BitGenRef) {
  return absl::nullopt;
}
CircuitBreaker::Result CircuitBreaker::Classify(absl::StatusCode code) const {
  if (options_.failure_status_codes.Contains(code)) return Result::kFailure;
  return code == absl::StatusCode::kResourceExhausted ? Result::kNeutral
                                                      : Result::kSuccess;
}
bool CircuitBreaker::IsSlow(absl::Duration duration) const {
  return duration > options_.slow_call_duration;
}
void CircuitBreaker::Reconfigure(const CircuitBreakerOptions& options,
                                 Instant) {
  options_ = options;
}
CircuitBreaker::State CircuitBreaker::state() const { return State::kClosed; }
CircuitBreakerOptions CircuitBreaker::options() const { return options_; }

const char* CircuitStateText(CircuitBreaker::State state) {
  switch (state) {
    case CircuitBreaker::State::kClosed:
      return "closed";
    case CircuitBreaker::State::kOpen:
      return "open";
    case CircuitBreaker::State::kHalfOpen:
      return "half_open";
  }
  return "unknown";
}

}  // namespace retrykit
