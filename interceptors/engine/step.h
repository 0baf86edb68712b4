// The engine's two languages: what has happened (events, past participles) and
// what to do about it (actions, imperatives).
//
// Attempts and timers carry numbers, from 1. An event for a finished or unknown
// number has no effect, so the driver need not know what the engine still
// waits for.
//
// Thread-safety: plain values.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_STEP_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_STEP_H_

#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/reason.h"
#include "interceptors/engine/events.h"

namespace retrykit {

// ---- Events

struct CallStarted {};

// The attempt's status is there; nothing more comes of it.
struct AttemptEnded {
  int attempt = 0;
  AttemptOutcome outcome;
};

// Headers of the attempt are there, and the application waits for them alone.
struct HeadersReceived {
  int attempt = 0;
};

// A message of the attempt came from the wire, whether or not the application
// waits for it. (Streams; only the first of an attempt matters.)
struct MessageArrived {
  int attempt = 0;
};

// A message of the attempt is there, and the application waits for it.
struct MessageReceived {
  int attempt = 0;
};

// The kept messages outgrew a limit: no other attempt could replay them.
struct BufferExceeded {};

struct TimerFired {
  int timer = 0;
  // Of an attempt's own timeout: the answer of the call's predicate.
  absl::optional<bool> retryable = absl::nullopt;
};

// The application cancelled the call, or dropped it.
struct CallCancelled {};

using StepEvent =
    std::variant<CallStarted, AttemptEnded, HeadersReceived, MessageArrived,
                 MessageReceived, BufferExceeded, TimerFired, CallCancelled>;

// ---- Actions

struct StartAttempt {
  int attempt = 0;
  AttemptKind kind = AttemptKind::kFirst;
  Instant deadline = Instant::InfiniteFuture();  // The attempt's own.
  int previous_attempts = 0;  // Those of inbound layers included.
};

// The attempt's result is no longer wanted. Its AttemptEnded may still come.
struct CancelAttempt {
  int attempt = 0;
};

struct ArmTimer {
  int timer = 0;
  Instant at;
  bool attempt_timeout = false;  // An attempt's own timeout.
};

struct DisarmTimer {
  int timer = 0;
};

// Hand out what the application waits for; no other attempt will replace it.
struct CommitAttempt {
  int attempt = 0;
};

// Complete the call; at most once, and the last action but for CancelAttempt
// and DisarmTimer.
struct FinishCall {
  int attempt =
      0;  // Whose result the application gets; 0: `code` stands alone.
  absl::StatusCode code =
      absl::StatusCode::kOk;  // Of a call without an attempt's result.
  Reason reason = Reason::kNone;
  int attempts = 0;  // Started in all.
  int last_failure =
      0;  // A call ended by its deadline during a retry: the attempt before.
  absl::Duration retry_after =
      absl::ZeroDuration();  // Reason kBreaker without an attempt.
};

using Action = std::variant<StartAttempt, CancelAttempt, ArmTimer, DisarmTimer,
                            CommitAttempt, FinishCall>;

// What one step asks for. Events are told to observers before the actions are
// done, in order.
struct Actions {
  absl::InlinedVector<Action, 3> list;
  std::vector<CallEvent> events;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_STEP_H_
