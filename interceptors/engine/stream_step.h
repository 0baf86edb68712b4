// The stream engine's two languages, beside those of step.h: what the
// application asks for and what the wire answers, and what to do about it.
//
// Messages that the application sends are numbered from 0 in its order; the
// messages themselves stay with whoever drives the engine.
//
// Thread-safety: plain values.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_STREAM_STEP_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_STREAM_STEP_H_

#include <cstdint>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/engine/events.h"
#include "interceptors/engine/step.h"

namespace retrykit {

// ---- Events: the application

// It writes its next message; `last` closes its half with it.
struct WriteAsked {
  int64_t bytes = 0;
  bool last = false;
};

struct HalfCloseAsked {};

// It waits for the next message; at most one at a time.
struct ReadAsked {};

// It waits for the headers alone.
struct HeadersAsked {};

// It waits for the status (a client stream: with the one response).
struct ResultAsked {};

// ---- Events: the wire

// The send that was under way has ended; not ok: the stream is broken.
struct AttemptWrote {
  int attempt = 0;
  bool ok = false;
};

struct HeadersArrived {
  int attempt = 0;
};

struct AttemptRead {
  int attempt = 0;
  int64_t bytes = 0;
};

// The read that was under way found no further message.
struct ReadsEnded {
  int attempt = 0;
};

struct StatusArrived {
  int attempt = 0;
  AttemptOutcome outcome;
};

using StreamEvent =
    std::variant<CallStarted, WriteAsked, HalfCloseAsked, ReadAsked,
                 HeadersAsked, ResultAsked, AttemptWrote, HeadersArrived,
                 AttemptRead, ReadsEnded, StatusArrived, TimerFired,
                 CallCancelled>;

// ---- Actions: the wire

// Starts an attempt. Without a message to come at once its opening is a send
// of its own, which AttemptWrote ends.
struct StartStream {
  StartAttempt start;
  bool message_follows = false;
};

// At most one send of an attempt is under way at a time, opening and closing
// included.
struct SendMessage {
  int attempt = 0;
  int64_t message = 0;
  bool half_close = false;  // With it.
};

struct SendHalfClose {
  int attempt = 0;
};

struct StartRead {
  int attempt = 0;
};

// Messages below this number are not needed any more.
struct ForgetMessages {
  int64_t below = 0;
};

// ---- Actions: the application

struct CompleteWrite {
  bool ok = false;
};

// The next message of the attempt's that was read and not delivered.
struct DeliverMessage {
  int attempt = 0;
};

struct FailRead {};

// 0: there are none.
struct DeliverHeaders {
  int attempt = 0;
};

// The result that FinishCall named. `instead`, unless OK: messages that had
// come were dropped, because of a cancel or of the deadline; the result is
// this.
struct DeliverResult {
  absl::StatusCode instead = absl::StatusCode::kOk;
};

using StreamAction =
    std::variant<StartStream, CancelAttempt, ArmTimer, DisarmTimer, FinishCall,
                 SendMessage, SendHalfClose, StartRead, ForgetMessages,
                 CompleteWrite, DeliverMessage, FailRead, DeliverHeaders,
                 DeliverResult>;

struct StreamActions {
  absl::InlinedVector<StreamAction, 3> list;
  std::vector<CallEvent> events;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_STREAM_STEP_H_
