// One call as a state machine without I/O, threads or a clock.
//
//   CallEngine engine(setup);
//   Actions actions = engine.Step(CallStarted{}, now);      // StartAttempt 1
//   actions = engine.Step(AttemptEnded{1, outcome}, later); // ArmTimer 1
//   actions = engine.Step(TimerFired{1}, later_still);      // StartAttempt 2
//   ...                                                     // FinishCall
//
// Whoever drives it does the actions in order and feeds back what happens.
// Production, tests and the simulator drive the same engine.
//
// Invariants, held for every order of events: at most one FinishCall; no
// StartAttempt after FinishCall or a cancel; never more attempts than
// max_attempts; none begins at or past the deadline; every armed timer is
// fired or disarmed; after CommitAttempt one live attempt; every permit that
// was taken is given back.
//
// Thread-safety: not thread-safe; its driver serializes the steps. Budget and
// breaker are shared and thread-safe themselves.
// Lifetime: everything that CallSetup points to must outlive the engine.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_CALL_ENGINE_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_CALL_ENGINE_H_

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/random_source.h"
#include "interceptors/engine/step.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/deadline.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/verdict.h"

namespace retrykit {

// What one call runs under.
struct CallSetup {
  const RetryRules* rules = nullptr;             // Required.
  RetryBudget* budget = nullptr;                 // Null: no throttling.
  CircuitBreaker* breaker = nullptr;             // Null: none.
  RandomSource* random = nullptr;                // Required.
  Instant deadline = Instant::InfiniteFuture();  // The overall one.
  absl::Duration per_attempt_timeout = absl::InfiniteDuration();
  // The per-attempt timeout is a timer of the engine's, disarmed by the first
  // message, instead of the attempt's own deadline. (Server and bidi streams.)
  bool timer_per_attempt = false;
  absl::Duration slow_call_duration = absl::InfiniteDuration();
  int inbound_previous_attempts =
      0;  // Of the call on whose behalf this one is made.
  bool suppress_nested_retries = true;
  bool observed = false;  // Whether Actions::events is wanted.
};

class CallEngine {
 public:
  using Event = StepEvent;
  using Actions = retrykit::Actions;

  explicit CallEngine(const CallSetup& setup) : setup_(setup) {}
  CallEngine(const CallEngine&) = delete;
  CallEngine& operator=(const CallEngine&) = delete;

  // `now` earlier than at the last step does no harm.
  Actions Step(const StepEvent& event, Instant now);

  bool finished() const { return phase_ == Phase::kFinished; }
  int attempts_started() const { return static_cast<int>(attempts_.size()); }

 private:
  enum class Phase : unsigned char { kNew, kLive, kWaiting, kFinished };

  struct Attempt {
    AttemptKind kind = AttemptKind::kFirst;
    AttemptLimits limits;
    CircuitBreaker::Permit permit;
    bool live = false;
    bool timed_out = false;  // By the engine's timer: it ended as that.
    bool permit_returned = false;
    Instant first_message = Instant::InfiniteFuture();
  };

  void On(const CallStarted& event, Instant now, Actions& actions);
  void On(const AttemptEnded& event, Instant now, Actions& actions);
  void On(const HeadersReceived& event, Instant now, Actions& actions);
  void On(const MessageArrived& event, Instant now, Actions& actions);
  void On(const MessageReceived& event, Instant now, Actions& actions);
  void On(const BufferExceeded& event, Instant now, Actions& actions);
  void On(const TimerFired& event, Instant now, Actions& actions);
  void On(const CallCancelled& event, Instant now, Actions& actions);

  void Begin(Instant now, Actions& actions);
  // Takes the breaker's permit and starts the next attempt, or ends the call.
  void StartNext(AttemptKind kind, Instant now, Actions& actions);
  void EndRefused(const CircuitBreaker::Admission& admission, Instant now,
                  Actions& actions);
  void EndLate(Instant now, Actions& actions);

  void Commit(int number, Instant now, Actions& actions);
  void TimeOut(Instant now, Actions& actions);

  void Arm(Instant at, Actions& actions);
  void Disarm(Actions& actions);

  VerdictInput InputFor(const AttemptEnded& event, Instant now) const;
  void ScheduleRetry(const Verdict& verdict, Instant now, Actions& actions);
  void EndAfter(const AttemptEnded& event, const Verdict& verdict, Instant now,
                Actions& actions);
  // Tells that a failure which might have been retried is not.
  void Suppress(Reason reason, Instant now, Actions& actions) const;
  void Finish(FinishCall finish, Instant now, Actions& actions);

  CircuitBreaker::Result ResultOf(const Attempt& attempt, absl::StatusCode code,
                                  Instant now) const;
  void ReturnPermit(Attempt& attempt, CircuitBreaker::Result result,
                    Instant now, Actions& actions);

  int LastResult() const;
  int ResultBefore(int number) const;
  Attempt* LiveAttempt(int number);
  CallEvent* Tell(CallEvent::Type type, Instant now, Actions& actions) const;
  void TellTransition(
      const absl::optional<CircuitBreaker::Transition>& transition, Instant now,
      Actions& actions) const;

  const CallSetup setup_;
  Phase phase_ = Phase::kNew;
  bool committed_ = false;
  bool buffer_exceeded_ = false;
  absl::StatusCode last_code_ =
      absl::StatusCode::kOk;  // Of the last ended attempt.
  Instant started_;
  Instant now_;  // The latest that any step was given.
  Backoff backoff_;
  int timer_ = 0;                                  // The armed one; 0: none.
  int last_timer_ = 0;                             // Numbers given out so far.
  absl::Duration delay_ = absl::ZeroDuration();    // Before the coming attempt.
  DelaySource delay_source_ = DelaySource::kNone;  // Where it came from.
  absl::InlinedVector<Attempt, 1> attempts_;       // By number - 1.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_CALL_ENGINE_H_
