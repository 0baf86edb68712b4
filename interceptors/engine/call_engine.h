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
#include "interceptors/engine/armed_timers.h"
#include "interceptors/engine/step.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/deadline.h"
#include "interceptors/policy/hedge_load.h"
#include "interceptors/policy/latency_tracker.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/verdict.h"

namespace retrykit {

// How one call is hedged (spec 2.7, gRFC A6).
struct HedgeRules {
  int max_attempts = 2;  // Already clamped; the first attempt included.
  StatusCodeSet non_fatal;
  absl::Duration delay = absl::ZeroDuration();  // Zero: all at once.
  absl::optional<double> max_extra_load;        // Unset: no limit.
  bool report_only = false;  // Tell what would be sent, and send nothing.
};

// What one call runs under.
struct CallSetup {
  const RetryRules* rules = nullptr;             // Required.
  RetryBudget* budget = nullptr;                 // Null: no throttling.
  CircuitBreaker* breaker = nullptr;             // Null: none.
  RandomSource* random = nullptr;                // Required.
  Instant deadline = Instant::InfiniteFuture();  // The overall one.
  const HedgeRules* hedging = nullptr;           // Null: retried, if at all.
  HedgeLoad* hedge_load = nullptr;               // Required with hedging.
  LatencyTracker* latency = nullptr;             // Null: nobody asks for it.
  absl::Duration per_attempt_timeout = absl::InfiniteDuration();
  // The per-attempt timeout is a timer of the engine's, disarmed by the first
  // message, instead of the attempt's own deadline. (Server and bidi streams.)
  bool timer_per_attempt = false;
  absl::Duration slow_call_duration = absl::InfiniteDuration();
  int inbound_previous_attempts =
      0;  // Of the call on whose behalf this one is made.
  bool suppress_nested_retries = true;
  // It is cancelled with an inbound call: a CANCELLED says nothing about the
  // server then.
  bool has_parent = false;
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
  void TimeOut(int number, absl::optional<bool> retryable, Instant now,
               Actions& actions);

  CircuitBreaker::Admission AskBreaker(Instant now, Actions& actions) const;
  // Starts an attempt that has its permit.
  void Add(AttemptKind kind, const CircuitBreaker::Permit& permit, Instant now,
           Actions& actions);
  // Gives up a live attempt whose result is not wanted any more.
  void Lose(int number, Reason reason, Instant now, Actions& actions);

  // Hedging (call_engine_hedging.cc).
  void BeginHedging(Instant now, Actions& actions);
  void HedgeDue(Instant now, Actions& actions);
  // `ended_before`: the attempt that had ended last before; 0: none.
  void HedgeAttemptEnded(const AttemptEnded& event, int ended_before,
                         Instant now, Actions& actions);
  void HedgeAfterFailure(const AttemptOutcome& outcome, Instant now,
                         Actions& actions);
  // Starts a hedge and arms the timer of the one after it.
  void StartHedges(Instant now, Actions& actions);
  void StartHedgesAtOnce(Instant now, Actions& actions);
  bool FitsAt(Instant at) const;
  bool StartHedge(Instant now, Actions& actions);
  Reason ReasonAgainstHedge(Instant now, Actions& actions);
  void ArmHedge(absl::Duration delay, DelaySource source, Instant now,
                Actions& actions);
  void StopHedging(Reason reason, Instant now, Actions& actions);
  Reason EndOfHedged(const VerdictInput& input);
  // `last_failure`: the attempt before, of a call that its deadline ends.
  void EndHedged(Reason reason, int last_failure, Instant now,
                 Actions& actions);
  void NoteLatency(Instant now);
  bool AnyLive() const;

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

  int ResultNumber(int attempt) const;
  int LastResult() const;
  // The last attempt before that one whose status the wire told; 0: none.
  int LastFailureBefore(int attempt) const;
  Attempt* LiveAttempt(int number);
  CallEvent* Tell(CallEvent::Type type, Instant now, Actions& actions) const;
  CallEvent* TellEnd(int number, absl::StatusCode code, Instant now,
                     Actions& actions) const;
  void TellTransition(
      const absl::optional<CircuitBreaker::Transition>& transition, Instant now,
      Actions& actions) const;

  const CallSetup setup_;
  Phase phase_ = Phase::kNew;
  bool committed_ = false;
  bool buffer_exceeded_ = false;
  absl::StatusCode last_code_ =
      absl::StatusCode::kOk;  // Of the last ended attempt.
  int last_ended_ = 0;        // Its number.
  Instant started_;
  Instant now_;  // The latest that any step was given.
  Backoff backoff_;
  ArmedTimers timers_;
  Reason no_more_hedges_ = Reason::kNone;  // Why no other is sent.
  bool first_failed_ = false;              // The first attempt did.
  bool latency_noted_ = false;
  absl::Duration delay_ = absl::ZeroDuration();    // Before the coming attempt.
  DelaySource delay_source_ = DelaySource::kNone;  // Where it came from.
  absl::InlinedVector<Attempt, 1> attempts_;       // By number - 1.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_CALL_ENGINE_H_
