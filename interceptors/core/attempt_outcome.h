// What one attempt told: its status, and the server's word on when to try
// again.
#ifndef RETRYKIT_INTERCEPTORS_CORE_ATTEMPT_OUTCOME_H_
#define RETRYKIT_INTERCEPTORS_CORE_ATTEMPT_OUTCOME_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace retrykit {

// `grpc-retry-pushback-ms` of an attempt's trailing metadata (gRFC A6).
struct Pushback {
  enum class Kind : unsigned char {
    kNone,  // The server said nothing.
    kWait,  // Try again after `delay`.
    kStop,  // Negative or not a number: do not try again.
  };

  static Pushback Wait(absl::Duration delay) { return {Kind::kWait, delay}; }
  static Pushback Stop() { return {Kind::kStop, absl::ZeroDuration()}; }

  Kind kind = Kind::kNone;
  absl::Duration delay = absl::ZeroDuration();
};

struct AttemptOutcome {
  absl::StatusCode code = absl::StatusCode::kOk;
  Pushback pushback;
  // google.rpc.RetryInfo in the status details; positive when present.
  absl::optional<absl::Duration> retry_info;
  // The answer of the call's own predicate, where there is one: it takes the
  // place of the policy's status code list.
  absl::optional<bool> retryable;
};

// Where the delay before an attempt came from.
enum class DelaySource : unsigned char {
  kNone,
  kBackoff,
  kPushback,
  kRetryInfo,
  kHedging
};

// "none", "backoff", "pushback", "retry_info", "hedging".
const char* DelaySourceText(DelaySource source);

// What kind of attempt it is.
enum class AttemptKind : unsigned char { kFirst, kRetry, kHedge };

// "first", "retry", "hedge".
const char* AttemptKindText(AttemptKind kind);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CORE_ATTEMPT_OUTCOME_H_
