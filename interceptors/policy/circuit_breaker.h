// Stops sending to something that keeps failing, and finds out when it is
// well again.
//
// Closed: everything passes and is measured. Open: everything is refused until
// the open interval ends. Half-open: a few probes pass; enough successes close
// it, one failure opens it for a longer interval.
//
//   CircuitBreaker breaker(options, now);
//   CircuitBreaker::Admission admission = breaker.TryAcquire(now);
//   if (!admission.admitted) ... fail with admission.retry_after ...
//   ... the attempt runs ...
//   auto transition = breaker.Record(admission.permit, breaker.Classify(code),
//                                    breaker.IsSlow(duration), now, random);
//
// Every permit must come back exactly once, by Record; a second return has no
// effect, and one that belongs to an earlier state has none either (generation
// number). A probe permit older than open_duration is given out again.
//
// Thread-safety: all members may be called from any thread. No caller's code
// runs under a lock: transitions are returned, for the caller to report.
// Lifetime: shared_ptr, kept by the calls that hold permits.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_CIRCUIT_BREAKER_H_
#define RETRYKIT_INTERCEPTORS_POLICY_CIRCUIT_BREAKER_H_

#include <cstdint>

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/status_code_set.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {

struct CircuitBreakerOptions {
  double failure_rate_threshold =
      0.5;                 // (0, 1]: share of failed attempts that opens it.
  int minimum_calls = 20;  // >= 1: no rate opens it on less evidence.
  absl::Duration window =
      absl::Seconds(10);         // Time window; used when window_calls is 0.
  int window_calls = 0;          // Count window: the last N attempts; 0: none.
  int consecutive_failures = 0;  // Opens after that many in a row; 0: never.
  absl::Duration slow_call_duration =
      absl::InfiniteDuration();           // Slower ones count as slow.
  double slow_call_rate_threshold = 1.0;  // (0, 1]
  StatusCodeSet failure_status_codes{
      absl::StatusCode::kUnavailable, absl::StatusCode::kDeadlineExceeded,
      absl::StatusCode::kInternal, absl::StatusCode::kUnknown,
      absl::StatusCode::kDataLoss};
  absl::Duration open_duration =
      absl::Seconds(5);  // The first open interval, +- 20 %.
  absl::Duration max_open_duration = absl::Seconds(60);
  double open_multiplier = 2;   // >= 1: growth while probes keep failing.
  int half_open_probes = 3;     // Probes in flight at once.
  int half_open_successes = 3;  // Successes that close it.
  bool per_method = false;  // One breaker per method instead of one per entry.
  EnforcementMode mode = EnforcementMode::kEnforce;

  bool has_slow_calls() const {
    return slow_call_duration < absl::InfiniteDuration();
  }
  friend bool operator==(const CircuitBreakerOptions& a,
                         const CircuitBreakerOptions& b);
};

class CircuitBreaker {
 public:
  enum class State : unsigned char { kClosed, kOpen, kHalfOpen };

  // How an attempt counts.
  enum class Result : unsigned char {
    kSuccess,
    kFailure,
    kNeutral,  // Neither way: the permit comes back, nothing is counted.
  };

  // Leave to send one attempt. A default-constructed one belongs to no state.
  struct Permit {
    uint64_t generation = 0;
    int probe = -1;       // Slot of a half-open probe; -1: not a probe.
    uint64_t ticket = 0;  // Tells a slot's present holder from an earlier one.
  };

  struct Transition {
    State from = State::kClosed;
    State to = State::kClosed;
  };

  struct Admission {
    bool admitted = true;
    // Under REPORT_ONLY: it was admitted, and ENFORCE would have refused it.
    bool would_refuse = false;
    // When refused: until the open interval ends, at least zero.
    absl::Duration retry_after = absl::ZeroDuration();
    Permit permit;
    absl::optional<Transition> transition;  // Open to half-open happens here.
  };

  CircuitBreaker(const CircuitBreakerOptions& options, Instant now);

  // Asks for a permit and takes it. Under DISABLED always admitted.
  Admission TryAcquire(Instant now);

  // Asks without taking. False under REPORT_ONLY and DISABLED.
  bool WouldRefuse(Instant now) const;

  // Gives the permit back with the attempt's result. `random` is drawn from
  // only when the breaker opens.
  absl::optional<Transition> Record(const Permit& permit, Result result,
                                    bool slow, Instant now,
                                    absl::BitGenRef random);

  // Failure, success or neither, by the code alone (spec.md 2.6): OK is a
  // success, RESOURCE_EXHAUSTED is neutral unless listed.
  Result Classify(absl::StatusCode code) const;

  // Slower than slow_call_duration; never where that is not set.
  bool IsSlow(absl::Duration duration) const;

  // Takes other numbers over. With equal numbers nothing changes; with others
  // the state stays and the window starts empty.
  void Reconfigure(const CircuitBreakerOptions& options, Instant now);

  State state() const;
  CircuitBreakerOptions options() const;

 private:
  CircuitBreakerOptions options_;
};

// "closed", "open", "half_open".
const char* CircuitStateText(CircuitBreaker::State state);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_CIRCUIT_BREAKER_H_
