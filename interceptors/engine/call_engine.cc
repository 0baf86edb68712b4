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
  Disarm(actions);
  if (CallEvent* told = Tell(CallEvent::Type::kAttemptEnded, now, actions)) {
    told->attempt = event.attempt;
    told->attempt_kind = attempt->kind;
    told->code = event.outcome.code;
    told->duration = now - attempt->limits.start;
  }
  ReturnPermit(*attempt, ResultOf(*attempt, event.outcome.code, now), now,
               actions);
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
  actions.list.push_back(CommitAttempt{number});
}

// A stream that flows is alive: its per-attempt timeout has been met, and a
// probe of the breaker's has succeeded.
void CallEngine::On(const MessageArrived& event, Instant now,
                    Actions& actions) {
  Attempt* attempt = LiveAttempt(event.attempt);
  if (attempt == nullptr || !attempt->first_message.is_infinite()) return;
  attempt->first_message = now;
  Disarm(actions);
  if (attempt->permit.probe >= 0) {
    ReturnPermit(*attempt, CircuitBreaker::Result::kSuccess, now, actions);
  }
}

void CallEngine::On(const BufferExceeded&, Instant, Actions&) {
  buffer_exceeded_ = true;
}

// While waiting it is the delay before the next attempt that has passed, else
// the live attempt's own timeout.
void CallEngine::On(const TimerFired& event, Instant now, Actions& actions) {
  if (timer_ == 0 || event.timer != timer_) return;
  timer_ = 0;
  if (phase_ == Phase::kWaiting) {
    StartNext(AttemptKind::kRetry, now, actions);
  } else {
    TimeOut(now, actions);
  }
}

void CallEngine::TimeOut(Instant now, Actions& actions) {
  const int number = attempts_started();
  Attempt* attempt = LiveAttempt(number);
  if (attempt == nullptr) return;
  attempt->timed_out = true;
  actions.list.push_back(CancelAttempt{number});
  AttemptEnded ended{number, {}};
  ended.outcome.code = absl::StatusCode::kDeadlineExceeded;
  On(ended, now, actions);
}

void CallEngine::On(const CallCancelled&, Instant now, Actions& actions) {
  if (phase_ == Phase::kNew) Begin(now, actions);
  FinishCall finish;
  finish.code = absl::StatusCode::kCancelled;
  finish.reason = Reason::kCancelled;
  Finish(finish, now, actions);
}

void CallEngine::Arm(Instant at, Actions& actions) {
  timer_ = ++last_timer_;
  actions.list.push_back(ArmTimer{timer_, at});
}

void CallEngine::Disarm(Actions& actions) {
  if (timer_ == 0) return;
  actions.list.push_back(DisarmTimer{std::exchange(timer_, 0)});
}

void CallEngine::StartNext(AttemptKind kind, Instant now, Actions& actions) {
  if (now >= setup_.deadline) return EndLate(now, actions);
  Attempt attempt;
  attempt.kind = kind;
  attempt.limits = {now, setup_.deadline, setup_.per_attempt_timeout};
  attempt.live = true;
  if (setup_.breaker != nullptr) {
    const CircuitBreaker::Admission admission = setup_.breaker->TryAcquire(now);
    TellTransition(admission.transition, now, actions);
    if (admission.would_refuse)
      Tell(CallEvent::Type::kBreakerWouldRefuse, now, actions);
    if (!admission.admitted) return EndRefused(admission, now, actions);
    attempt.permit = admission.permit;
  }
  phase_ = Phase::kLive;
  const int previous = attempts_started();
  attempts_.push_back(attempt);
  if (CallEvent* told = Tell(CallEvent::Type::kAttemptStarted, now, actions)) {
    told->attempt = attempts_started();
    told->attempt_kind = kind;
    told->delay = delay_;
    told->delay_source = delay_source_;
  }
  const Instant deadline =
      setup_.timer_per_attempt ? setup_.deadline : attempt.limits.deadline();
  actions.list.push_back(
      StartAttempt{attempts_started(), kind, deadline,
                   previous + setup_.inbound_previous_attempts});
  if (setup_.timer_per_attempt && attempt.limits.own_timeout_is_limit()) {
    Arm(attempt.limits.deadline(), actions);
  }
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
  Arm(now + delay_, actions);
}

void CallEngine::EndAfter(const AttemptEnded& event, const Verdict& verdict,
                          Instant now, Actions& actions) {
  if (SuppressesRetry(verdict.reason)) Suppress(verdict.reason, now, actions);
  FinishCall finish;
  finish.attempt = LastResult();
  finish.code = event.outcome.code;
  finish.reason = verdict.reason;
  if (verdict.reason == Reason::kDeadlineExceeded)
    finish.last_failure = ResultBefore(event.attempt);
  Finish(finish, now, actions);
}

void CallEngine::Suppress(Reason reason, Instant now, Actions& actions) const {
  if (CallEvent* told = Tell(CallEvent::Type::kRetrySuppressed, now, actions)) {
    told->attempt = attempts_started();
    told->reason = reason;
  }
}

void CallEngine::Finish(FinishCall finish, Instant now, Actions& actions) {
  phase_ = Phase::kFinished;
  finish.attempts = attempts_started();
  Disarm(actions);
  for (size_t i = 0; i < attempts_.size(); ++i) {
    if (!attempts_[i].live) continue;
    attempts_[i].live = false;
    ReturnPermit(attempts_[i], CircuitBreaker::Result::kNeutral, now, actions);
    actions.list.push_back(CancelAttempt{static_cast<int>(i) + 1});
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
  return CutShortByCall(attempt.limits, code, now)
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
int CallEngine::LastResult() const {
  if (attempts_.empty() || attempts_.back().timed_out) return 0;
  return attempts_started();
}

// The attempt before `number`, or 0: it was none, or has no result either.
int CallEngine::ResultBefore(int number) const {
  if (number < 2) return 0;
  const bool cut = attempts_[static_cast<size_t>(number) - 2].timed_out;
  return cut ? 0 : number - 1;
}

CallEngine::Attempt* CallEngine::LiveAttempt(int number) {
  if (number < 1 || number > attempts_started()) return nullptr;
  Attempt& attempt = attempts_[static_cast<size_t>(number) - 1];
  return attempt.live ? &attempt : nullptr;
}

// Null when nobody listens: then no event is made at all.
CallEvent* CallEngine::Tell(CallEvent::Type type, Instant now,
                            Actions& actions) const {
  if (!setup_.observed) return nullptr;
  CallEvent& event = actions.events.emplace_back();
  event.type = type;
  event.since_start = std::max(now - started_, absl::ZeroDuration());
  return &event;
}

void CallEngine::TellTransition(
    const absl::optional<CircuitBreaker::Transition>& transition, Instant now,
    Actions& actions) const {
  if (!transition) return;
  if (CallEvent* told = Tell(CallEvent::Type::kBreakerChanged, now, actions)) {
    told->from = transition->from;
    told->to = transition->to;
  }
}

}  // namespace retrykit
