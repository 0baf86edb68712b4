#include "interceptors/engine/call_engine.h"

#include <algorithm>
#include <utility>

namespace retrykit {
namespace {

// A "no" to a failure that would have been retried, as opposed to the end of
// the call by other means.
bool SuppressesRetry(Reason reason) {
  switch (reason) {
    case Reason::kCommitted:
    case Reason::kBuffer:
    case Reason::kMaxAttempts:
    case Reason::kPushback:
    case Reason::kNested:
    case Reason::kBudget:
    case Reason::kBreaker:
    case Reason::kDeadline:
      return true;
    default:
      return false;
  }
}

}  // namespace

Actions CallEngine::Step(const StepEvent& event, Instant now) {
  Actions actions;
  if (finished()) return actions;
  // Of two threads that read the clock the later may be here first.
  now_ = phase_ == Phase::kNew ? now : std::max(now_, now);
  std::visit([&](const auto& happened) { On(happened, now_, actions); }, event);
  return actions;
}

void CallEngine::On(const CallStarted&, Instant now, Actions& actions) {
  if (phase_ != Phase::kNew) return;
  Begin(now, actions);
  StartNext(AttemptKind::kFirst, now, actions);
  if (setup_.hedging != nullptr && !finished()) BeginHedging(now, actions);
}

void CallEngine::Begin(Instant now, Actions& actions) {
  started_ = now;
  Tell(CallEvent::Type::kCallStarted, now, actions);
}

void CallEngine::On(const AttemptEnded& event, Instant now, Actions& actions) {
  Attempt* attempt = LiveAttempt(event.attempt);
  if (attempt == nullptr) return;
  attempt->live = false;
  last_code_ = event.outcome.code;
  const int ended_before = std::exchange(last_ended_, event.attempt);
  timers_.Disarm(event.attempt, actions);
  TellEnd(event.attempt, event.outcome.code, now, actions);
  ReturnPermit(*attempt, ResultOf(*attempt, event.outcome.code, now), now,
               actions);
  if (setup_.hedging != nullptr) {
    return HedgeAttemptEnded(event, ended_before, now, actions);
  }
  const Verdict verdict = Judge(InputFor(event, now), *setup_.rules, backoff_,
                                setup_.budget, setup_.breaker, *setup_.random);
  if (verdict.budget_would_refuse) {
    Tell(CallEvent::Type::kBudgetWouldRefuse, now, actions);
  }
  if (verdict.retry) {
    ScheduleRetry(verdict, now, actions);
  } else {
    EndAfter(event, verdict, now, actions);
  }
}

void CallEngine::On(const HeadersReceived& event, Instant now,
                    Actions& actions) {
  Commit(event.attempt, now, actions);
}

void CallEngine::On(const MessageReceived& event, Instant now,
                    Actions& actions) {
  Commit(event.attempt, now, actions);
}

void CallEngine::Commit(int number, Instant now, Actions& actions) {
  if (committed_ || LiveAttempt(number) == nullptr) return;
  committed_ = true;
  if (CallEvent* told = Tell(CallEvent::Type::kCallCommitted, now, actions)) {
    told->attempt = number;
  }
  timers_.Disarm(ArmedTimers::kNextAttempt, actions);
  for (int other = 1; other <= attempts_started(); ++other) {
    if (other != number) Lose(other, Reason::kLost, now, actions);
  }
  actions.list.push_back(CommitAttempt{number});
}

// A stream that flows is alive: its per-attempt timeout has been met, and a
// probe of the breaker's has succeeded. Of hedged streams it is the winner.
void CallEngine::On(const MessageArrived& event, Instant now,
                    Actions& actions) {
  Attempt* attempt = LiveAttempt(event.attempt);
  if (attempt == nullptr || !attempt->first_message.is_infinite()) return;
  attempt->first_message = now;
  timers_.Disarm(event.attempt, actions);
  if (attempt->permit.probe >= 0) {
    ReturnPermit(*attempt, CircuitBreaker::Result::kSuccess, now, actions);
  }
  if (setup_.hedging == nullptr) return;
  NoteLatency(now);
  Commit(event.attempt, now, actions);
}

void CallEngine::On(const BufferExceeded&, Instant, Actions&) {
  buffer_exceeded_ = true;
}

void CallEngine::On(const TimerFired& event, Instant now, Actions& actions) {
  const absl::optional<int> attempt = timers_.Take(event.timer);
  if (!attempt) return;
  if (*attempt != ArmedTimers::kNextAttempt) {
    TimeOut(*attempt, event.retryable, now, actions);
  } else if (setup_.hedging != nullptr) {
    HedgeDue(now, actions);
  } else {
    StartNext(AttemptKind::kRetry, now, actions);
  }
}

void CallEngine::TimeOut(int number, absl::optional<bool> retryable,
                         Instant now, Actions& actions) {
  Attempt* attempt = LiveAttempt(number);
  if (attempt == nullptr) return;
  attempt->timed_out = true;
  actions.list.push_back(CancelAttempt{number});
  AttemptEnded ended{number, {}};
  ended.outcome.code = absl::StatusCode::kDeadlineExceeded;
  ended.outcome.retryable = retryable;
  On(ended, now, actions);
}

void CallEngine::On(const CallCancelled&, Instant now, Actions& actions) {
  if (phase_ == Phase::kNew) Begin(now, actions);
  FinishCall finish;
  finish.code = absl::StatusCode::kCancelled;
  finish.reason = Reason::kCancelled;
  Finish(finish, now, actions);
}

void CallEngine::StartNext(AttemptKind kind, Instant now, Actions& actions) {
  if (now >= setup_.deadline) return EndLate(now, actions);
  CircuitBreaker::Permit permit;
  if (setup_.breaker != nullptr) {
    const CircuitBreaker::Admission admission = AskBreaker(now, actions);
    if (!admission.admitted) return EndRefused(admission, now, actions);
    permit = admission.permit;
  }
  Add(kind, permit, now, actions);
}

CircuitBreaker::Admission CallEngine::AskBreaker(Instant now,
                                                 Actions& actions) const {
  const CircuitBreaker::Admission admission = setup_.breaker->TryAcquire(now);
  TellTransition(admission.transition, now, actions);
  if (admission.would_refuse) {
    Tell(CallEvent::Type::kBreakerWouldRefuse, now, actions);
  }
  return admission;
}

void CallEngine::Add(AttemptKind kind, const CircuitBreaker::Permit& permit,
                     Instant now, Actions& actions) {
  Attempt attempt;
  attempt.kind = kind;
  attempt.limits = {now, setup_.deadline, setup_.per_attempt_timeout};
  attempt.live = true;
  attempt.permit = permit;
  phase_ = Phase::kLive;
  const int previous = attempts_started();
  attempts_.push_back(attempt);
  const int number = attempts_started();
  if (CallEvent* told = Tell(CallEvent::Type::kAttemptStarted, now, actions)) {
    told->attempt = number;
    told->attempt_kind = kind;
    told->delay = delay_;
    told->delay_source = delay_source_;
  }
  const Instant deadline =
      setup_.timer_per_attempt ? setup_.deadline : attempt.limits.deadline();
  actions.list.push_back(StartAttempt{
      number, kind, deadline, previous + setup_.inbound_previous_attempts});
  if (setup_.timer_per_attempt && attempt.limits.own_timeout_is_limit()) {
    timers_.Arm(number, attempt.limits.deadline(), actions);
  }
}

void CallEngine::Lose(int number, Reason reason, Instant now,
                      Actions& actions) {
  Attempt* attempt = LiveAttempt(number);
  if (attempt == nullptr) return;
  attempt->live = false;
  if (CallEvent* told =
          TellEnd(number, absl::StatusCode::kCancelled, now, actions)) {
    told->reason = reason;
  }
  timers_.Disarm(number, actions);
  ReturnPermit(*attempt, CircuitBreaker::Result::kNeutral, now, actions);
  actions.list.push_back(CancelAttempt{number});
}

// Nothing is sent and the budget is untouched. After an earlier attempt the
// application gets that one's status.
void CallEngine::EndRefused(const CircuitBreaker::Admission& admission,
                            Instant now, Actions& actions) {
  if (CallEvent* told = Tell(CallEvent::Type::kBreakerRejected, now, actions)) {
    told->delay = admission.retry_after;
  }
  if (!attempts_.empty()) Suppress(Reason::kBreaker, now, actions);
  FinishCall finish;
  finish.attempt = LastResult();
  finish.reason = Reason::kBreaker;
  finish.code = attempts_.empty() ? absl::StatusCode::kUnavailable : last_code_;
  finish.retry_after = admission.retry_after;
  Finish(finish, now, actions);
}

// The deadline passed before the attempt could begin.
void CallEngine::EndLate(Instant now, Actions& actions) {
  if (!attempts_.empty()) Suppress(Reason::kDeadline, now, actions);
  FinishCall finish;
  finish.attempt = LastResult();
  finish.reason =
      attempts_.empty() ? Reason::kDeadlineExceeded : Reason::kDeadline;
  finish.code =
      attempts_.empty() ? absl::StatusCode::kDeadlineExceeded : last_code_;
  Finish(finish, now, actions);
}

VerdictInput CallEngine::InputFor(const AttemptEnded& event,
                                  Instant now) const {
  const Attempt& attempt = attempts_[static_cast<size_t>(event.attempt) - 1];
  const AttemptLimits& limits = attempt.limits;
  VerdictInput input;
  input.outcome = event.outcome;
  input.deadline_passed =
      EndedByOverallDeadline(limits, event.outcome.code, now);
  input.own_timeout =
      attempt.timed_out || EndedByOwnTimeout(limits, event.outcome.code, now);
  input.committed = committed_;
  input.buffer_exceeded = buffer_exceeded_;
  input.nested =
      setup_.suppress_nested_retries && setup_.inbound_previous_attempts > 0;
  input.attempts = attempts_started();
  input.now = now;
  input.deadline = setup_.deadline;
  return input;
}

void CallEngine::ScheduleRetry(const Verdict& verdict, Instant now,
                               Actions& actions) {
  delay_ = verdict.delay;
  delay_source_ = verdict.source;
  if (CallEvent* told = Tell(CallEvent::Type::kRetryScheduled, now, actions)) {
    told->attempt = attempts_started() + 1;
    told->attempt_kind = AttemptKind::kRetry;
    told->delay = delay_;
    told->delay_source = delay_source_;
  }
  if (delay_ <= absl::ZeroDuration())
    return StartNext(AttemptKind::kRetry, now, actions);
  phase_ = Phase::kWaiting;
  timers_.Arm(ArmedTimers::kNextAttempt, now + delay_, actions);
}

void CallEngine::EndAfter(const AttemptEnded& event, const Verdict& verdict,
                          Instant now, Actions& actions) {
  if (SuppressesRetry(verdict.reason)) Suppress(verdict.reason, now, actions);
  FinishCall finish;
  finish.attempt = LastResult();
  finish.code = event.outcome.code;
  finish.reason = verdict.reason;
  if (verdict.reason == Reason::kDeadlineExceeded)
    finish.last_failure = LastFailureBefore(event.attempt);
  Finish(finish, now, actions);
}

void CallEngine::Finish(FinishCall finish, Instant now, Actions& actions) {
  phase_ = Phase::kFinished;
  finish.attempts = attempts_started();
  timers_.DisarmAll(actions);
  const Reason why =
      finish.reason == Reason::kCancelled ? Reason::kCancelled : Reason::kLost;
  for (int number = 1; number <= finish.attempts; ++number) {
    Lose(number, why, now, actions);
  }
  if (CallEvent* told = Tell(CallEvent::Type::kCallEnded, now, actions)) {
    told->attempt = finish.attempts;
    told->code = finish.code;
    told->reason = finish.reason;
    told->duration = now - started_;
  }
  actions.list.push_back(finish);
}

CircuitBreaker::Result CallEngine::ResultOf(const Attempt& attempt,
                                            absl::StatusCode code,
                                            Instant now) const {
  if (setup_.breaker == nullptr) return CircuitBreaker::Result::kNeutral;
  const bool by_parent =
      setup_.has_parent && code == absl::StatusCode::kCancelled;
  return by_parent || CutShortByCall(attempt.limits, code, now)
             ? CircuitBreaker::Result::kNeutral
             : setup_.breaker->Classify(code);
}

void CallEngine::ReturnPermit(Attempt& attempt, CircuitBreaker::Result result,
                              Instant now, Actions& actions) {
  if (setup_.breaker == nullptr || attempt.permit_returned) return;
  attempt.permit_returned = true;
  const Instant answered = std::min(attempt.first_message, now);
  const bool slow = answered - attempt.limits.start > setup_.slow_call_duration;
  TellTransition(
      setup_.breaker->Record(attempt.permit, result, slow, now, *setup_.random),
      now, actions);
}

// An attempt that the engine's own timer cut has no result.
int CallEngine::LastResult() const { return ResultNumber(attempts_started()); }

int CallEngine::LastFailureBefore(int attempt) const {
  while (--attempt > 0 && ResultNumber(attempt) == 0) {
  }
  return attempt;
}

int CallEngine::ResultNumber(int attempt) const {
  if (attempt < 1) return 0;
  return attempts_[static_cast<size_t>(attempt) - 1].timed_out ? 0 : attempt;
}

CallEngine::Attempt* CallEngine::LiveAttempt(int number) {
  if (number < 1 || number > attempts_started()) return nullptr;
  Attempt& attempt = attempts_[static_cast<size_t>(number) - 1];
  return attempt.live ? &attempt : nullptr;
}

}  // namespace retrykit
