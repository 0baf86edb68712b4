// Deadline arithmetic: which limit an attempt runs under, and which limit
// ended it.
//
//   AttemptLimits limits;
//   limits.start = now;
//   limits.overall = call_deadline;
//   limits.per_attempt = absl::Milliseconds(500);
//   context.set_deadline(... limits.deadline() ...);
//   ... the attempt ends with `code` ...
//   if (EndedByOwnTimeout(limits, code, now)) ... retryable whatever is listed
//
// Thread-safety: pure functions and values.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_DEADLINE_H_
#define RETRYKIT_INTERCEPTORS_POLICY_DEADLINE_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/core/instant.h"

namespace retrykit {

// The limits of one attempt. All sums saturate.
struct AttemptLimits {
  Instant start;
  // The call's own deadline; may have passed. InfiniteFuture(): none.
  Instant overall = Instant::InfiniteFuture();
  // perAttemptTimeout; > 0. Infinite: none.
  absl::Duration per_attempt = absl::InfiniteDuration();

  // The earlier of `overall` and start + per_attempt.
  Instant deadline() const;
  // The per-attempt timeout is the one that ends first. When both end together
  // the overall deadline is the limit.
  bool own_timeout_is_limit() const;
};

// DEADLINE_EXCEEDED received at `now` no earlier than the per-attempt timeout
// less max(5 ms, 5 % of it), the overall deadline not being the limit.
bool EndedByOwnTimeout(const AttemptLimits& limits, absl::StatusCode code,
                       Instant now);

// The overall deadline has passed at `now`; or DEADLINE_EXCEEDED came within
// that same tolerance (of the time that the attempt had) before it, the overall
// deadline being the limit: a core's and a server's clocks end a little early.
bool EndedByOverallDeadline(const AttemptLimits& limits, absl::StatusCode code,
                            Instant now);

// The attempt's DEADLINE_EXCEEDED came from the call's own deadline before it
// had run per_attempt (100 ms without one). It says nothing about the server:
// the circuit breaker takes it as CircuitBreaker::Result::kNeutral, so that one
// impatient caller cannot open it for all.
bool CutShortByCall(const AttemptLimits& limits, absl::StatusCode code,
                    Instant now);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_DEADLINE_H_
