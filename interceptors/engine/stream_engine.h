// One stream as a state machine without I/O: the call engine's decisions, and
// between them the order of messages.
//
//   StreamEngine engine(setup, options);
//   engine.Step(CallStarted{}, now);        // StartAttempt 1, StartRead 1
//   engine.Step(WriteAsked{64, false}, now);   // SendMessage 1, 0
//   engine.Step(AttemptWrote{1, true}, now);   // CompleteWrite
//   engine.Step(StatusArrived{1, aborted}, now);   // ArmTimer
//   engine.Step(TimerFired{1}, now);        // StartAttempt 2, SendMessage 2, 0
//
// Until a message of an attempt has come, or headers were handed out, what the
// application sent is
// kept and replayed in order to the next attempt, its half-close too. One
// write is in flight; it completes when the live attempt has taken it or,
// during backoff and replay, when the buffer has. Once an attempt flows, it
// takes a write that runs ahead of the wire by no more than kRunAhead. Over a
// limit the call goes on, keeps nothing, and is not retried any more.
//
// After commit reads run ahead of the application by kRunAhead.
//
// Invariants: an attempt is sent every message once, in order, from the first;
// the application gets every message of the committed attempt once, in order;
// each thing that it asked for is completed once; what is kept never costs
// more than the limits.
//
// Thread-safety: not thread-safe; its driver serializes the steps.
// Lifetime: what setup and options point to must outlive the engine.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_STREAM_ENGINE_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_STREAM_ENGINE_H_

#include <cstdint>
#include <deque>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/buffer_quota.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/send_log.h"
#include "interceptors/engine/step.h"
#include "interceptors/engine/stream_step.h"

namespace retrykit {

// How far reads may run ahead of the application, and its writes ahead of the
// wire; always by one message. Without it each small message costs a hop
// between threads.
constexpr int64_t kRunAheadBytes = int64_t{64} << 10;
constexpr int64_t kRunAheadMessages = 256;

struct StreamOptions {
  int64_t call_buffer_limit = int64_t{4} << 20;  // Bytes kept for one call.
  BufferQuota* quota = nullptr;                  // Required.
  // The one response comes with the status, and is never asked for alone.
  bool response_with_status = false;  // Client streams.
  // The status waits until the application has read everything: in the
  // callback API it is asked for at the start and ends the stream.
  bool status_after_reads = false;
};

class StreamEngine {
 public:
  using Event = StreamEvent;
  using Actions = StreamActions;

  StreamEngine(const CallSetup& setup, const StreamOptions& options);
  StreamEngine(const StreamEngine&) = delete;
  StreamEngine& operator=(const StreamEngine&) = delete;

  StreamActions Step(const StreamEvent& event, Instant now);

  bool finished() const { return finished_; }
  int64_t kept_bytes() const { return log_.cost(); }

 private:
  // One attempt's traffic.
  struct Traffic {
    int attempt = 0;
    int64_t written = 0;     // Messages that the wire took.
    int64_t replay_end = 0;  // Those before it are sent again.
    bool writing = false;    // A send is under way...
    bool bare = false;       // ...without a message: opening or half-close.
    bool closed = false;     // The half-close was sent or is under way.
    bool broken = false;     // A send failed: the status will say why.
    bool let_go = false;     // The status is there: no send is waited for.
    bool reading = false;
    bool reads_ended = false;
    bool got_headers = false;
    bool got_message = false;
    absl::optional<AttemptOutcome> status;
    std::deque<int64_t> unread;  // Sizes, in order.
    int64_t unread_bytes = 0;
  };

  void On(const CallStarted& event, Instant now, StreamActions& actions);
  void On(const WriteAsked& event, Instant now, StreamActions& actions);
  void ForgetAfter(const WriteAsked& event, StreamActions& actions);
  void On(const HalfCloseAsked& event, Instant now, StreamActions& actions);
  void On(const ReadAsked& event, Instant now, StreamActions& actions);
  void On(const HeadersAsked& event, Instant now, StreamActions& actions);
  void On(const ResultAsked& event, Instant now, StreamActions& actions);
  void On(const AttemptWrote& event, Instant now, StreamActions& actions);
  void On(const HeadersArrived& event, Instant now, StreamActions& actions);
  void On(const AttemptRead& event, Instant now, StreamActions& actions);
  void On(const ReadsEnded& event, Instant now, StreamActions& actions);
  void On(const StatusArrived& event, Instant now, StreamActions& actions);
  void On(const TimerFired& event, Instant now, StreamActions& actions);
  void On(const CallCancelled& event, Instant now, StreamActions& actions);

  // Steps the call engine and takes over what it asks for.
  void Drive(const StepEvent& event, Instant now, StreamActions& actions);
  void Take(const StartAttempt& action, StreamActions& actions);
  void Take(const CancelAttempt& action, StreamActions& actions);
  void Take(const CommitAttempt& action, StreamActions& actions);
  void Take(const FinishCall& action, StreamActions& actions);
  void Take(const ArmTimer& action, StreamActions& actions);
  void Take(const DisarmTimer& action, StreamActions& actions);

  // Does everything that has become possible.
  void Settle(Instant now, StreamActions& actions);
  void Send(Traffic& traffic, StreamActions& actions);
  void Read(Traffic& traffic, StreamActions& actions);
  bool EndOne(Instant now, StreamActions& actions);
  bool HasSaidEverything(Traffic& traffic, StreamActions& actions);
  void SettleWrite(StreamActions& actions);
  bool BufferTakesWrite() const;
  bool RunsAhead() const;
  void SettleHeaders(Instant now, StreamActions& actions);
  void SettleRead(StreamActions& actions);
  void SettleResult(StreamActions& actions);
  // Watches the deadline while the result waits for the application.
  void WatchDeadline(StreamActions& actions);
  // `why`: the result where something is dropped.
  void DropUnread(absl::StatusCode why);

  void StopKeeping(StreamActions& actions);
  void Forget(StreamActions& actions);
  Traffic* Find(int attempt);
  void Drop(int attempt);
  bool AnyUnread() const;

  // No number of the call engine's.
  static constexpr int kResultTimer = (1 << 30) - 1;

  const StreamOptions options_;
  const Instant deadline_;
  CallEngine call_;
  SendLog log_;
  bool keeping_;  // Another attempt may still replace the live one.
  bool committed_ = false;
  bool finished_ = false;
  absl::StatusCode instead_ =
      absl::StatusCode::kOk;  // Of the result, since messages were dropped.
  int result_ = 0;            // FinishCall's attempt.
  bool half_closed_ = false;
  bool write_asked_ = false;  // The application's write is not completed yet.
  bool read_asked_ = false;
  bool headers_asked_ = false;
  bool result_asked_ = false;
  bool result_timer_armed_ = false;
  absl::InlinedVector<Traffic, 1> traffic_;  // Live attempts, and the result's.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_STREAM_ENGINE_H_
