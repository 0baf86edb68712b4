// The part of the call engine that hedges (spec 2.7, gRFC A6): attempts beside
// live ones, the first useful answer wins.
//
// An attempt that fails with a non-fatal code, or by its own timeout, sends the
// next hedge at once; later ones follow at the delay. Budget, load, breaker and
// deadline are asked for each; the first "no" ends hedging, never the call:
// what is in flight decides then.
#include <algorithm>

#include "interceptors/engine/call_engine.h"

namespace retrykit {

void CallEngine::BeginHedging(Instant now, Actions& actions) {
  setup_.hedge_load->RecordCall(now);
  if (setup_.hedging->delay > absl::ZeroDuration()) {
    return ArmHedge(setup_.hedging->delay, DelaySource::kHedging, now, actions);
  }
  StartHedgesAtOnce(now, actions);
}

void CallEngine::StartHedgesAtOnce(Instant now, Actions& actions) {
  delay_ = absl::ZeroDuration();
  delay_source_ = DelaySource::kHedging;
  StartHedges(now, actions);
}

// An attempt that begins then has its least time before the deadline.
bool CallEngine::FitsAt(Instant at) const {
  return at < setup_.deadline &&
         at + setup_.rules->min_attempt_time <= setup_.deadline;
}

// Never waits towards the deadline: what is in flight decides then.
void CallEngine::ArmHedge(absl::Duration delay, DelaySource source, Instant now,
                          Actions& actions) {
  const Instant at = now + delay;
  if (!FitsAt(at)) return;
  delay_ = delay;
  delay_source_ = source;
  timers_.Arm(ArmedTimers::kNextAttempt, at, actions);
}

void CallEngine::HedgeDue(Instant now, Actions& actions) {
  StartHedges(now, actions);
  // After a pushback there may have been nothing else to wait for.
  if (!AnyLive()) EndHedged(no_more_hedges_, 0, now, actions);
}

// Without a delay all that are left start at once.
void CallEngine::StartHedges(Instant now, Actions& actions) {
  const absl::Duration delay = setup_.hedging->delay;
  while (StartHedge(now, actions)) {
    if (attempts_started() >= setup_.hedging->max_attempts) return;
    if (delay > absl::ZeroDuration()) {
      return ArmHedge(delay, DelaySource::kHedging, now, actions);
    }
    delay_ = absl::ZeroDuration();
    delay_source_ = DelaySource::kHedging;
  }
}

bool CallEngine::StartHedge(Instant now, Actions& actions) {
  if (committed_ || no_more_hedges_ != Reason::kNone) return false;
  const Reason reason = ReasonAgainstHedge(now, actions);
  if (reason != Reason::kNone) {
    StopHedging(reason, now, actions);
    return false;
  }
  if (setup_.hedging->report_only) {
    Tell(CallEvent::Type::kHedgeWouldStart, now, actions);
    StopHedging(Reason::kMaxAttempts, now, actions);
    return false;
  }
  CircuitBreaker::Permit permit;
  if (setup_.breaker != nullptr) {
    const CircuitBreaker::Admission admission = AskBreaker(now, actions);
    if (!admission.admitted) {
      StopHedging(Reason::kBreaker, now, actions);
      return false;
    }
    permit = admission.permit;
  }
  Add(AttemptKind::kHedge, permit, now, actions);
  return true;
}

// In the verdict's order. The load is asked last, since it counts the hedge.
Reason CallEngine::ReasonAgainstHedge(Instant now, Actions& actions) {
  if (buffer_exceeded_) return Reason::kBuffer;
  if (attempts_started() >= setup_.hedging->max_attempts) {
    return Reason::kMaxAttempts;
  }
  if (setup_.suppress_nested_retries && setup_.inbound_previous_attempts > 0) {
    return Reason::kNested;
  }
  if (setup_.budget != nullptr && !setup_.budget->WouldAllow()) {
    if (!setup_.budget->Allows()) return Reason::kBudget;
    Tell(CallEvent::Type::kBudgetWouldRefuse, now, actions);
  }
  if (setup_.breaker != nullptr && setup_.breaker->WouldRefuse(now)) {
    return Reason::kBreaker;
  }
  if (!FitsAt(now)) return Reason::kDeadline;
  if (setup_.hedging->max_extra_load &&
      !setup_.hedge_load->TryHedge(*setup_.hedging->max_extra_load, now)) {
    return Reason::kHedgeLoad;
  }
  return Reason::kNone;
}

void CallEngine::StopHedging(Reason reason, Instant now, Actions& actions) {
  no_more_hedges_ = reason;
  timers_.Disarm(ArmedTimers::kNextAttempt, actions);
  if (reason != Reason::kMaxAttempts) Suppress(reason, now, actions);
}

void CallEngine::HedgeAttemptEnded(const AttemptEnded& event, int ended_before,
                                   Instant now, Actions& actions) {
  if (event.outcome.code == absl::StatusCode::kOk) NoteLatency(now);
  const Reason reason = EndOfHedged(InputFor(event, now));
  if (reason != Reason::kNone) {
    const bool late = reason == Reason::kDeadlineExceeded;
    return EndHedged(reason, late ? ended_before : 0, now, actions);
  }
  first_failed_ |= event.attempt == 1;
  HedgeAfterFailure(event.outcome, now, actions);
  if (AnyLive() || timers_.armed(ArmedTimers::kNextAttempt)) return;
  EndHedged(
      no_more_hedges_ != Reason::kNone ? no_more_hedges_ : Reason::kMaxAttempts,
      0, now, actions);
}

// In the verdict's order: why this attempt ends the call, or kNone. Charges the
// budget.
Reason CallEngine::EndOfHedged(const VerdictInput& input) {
  const Reason reason =
      ReasonToEnd(input, setup_.hedging->non_fatal, setup_.budget);
  if (reason != Reason::kNone || !input.committed) return reason;
  return input.buffer_exceeded ? Reason::kBuffer : Reason::kCommitted;
}

// The server's word goes before everything: it delays the next hedge or stops
// new ones. Without it the next one starts at once.
void CallEngine::HedgeAfterFailure(const AttemptOutcome& outcome, Instant now,
                                   Actions& actions) {
  if (no_more_hedges_ != Reason::kNone ||
      attempts_started() >= setup_.hedging->max_attempts) {
    return;
  }
  const Pushback& pushback = outcome.pushback;
  timers_.Disarm(ArmedTimers::kNextAttempt, actions);
  if (pushback.kind == Pushback::Kind::kNone) {
    return StartHedgesAtOnce(now, actions);
  }
  if (pushback.kind == Pushback::Kind::kStop ||
      pushback.delay > setup_.rules->max_server_delay) {
    return StopHedging(Reason::kPushback, now, actions);
  }
  ArmHedge(pushback.delay, DelaySource::kPushback, now, actions);
  if (!timers_.armed(ArmedTimers::kNextAttempt)) {
    StopHedging(Reason::kDeadline, now, actions);
  }
}

// The result is that of the attempt which ended last.
void CallEngine::EndHedged(Reason reason, int last_failure, Instant now,
                           Actions& actions) {
  if (reason == Reason::kMaxAttempts || reason == Reason::kCommitted) {
    Suppress(reason, now, actions);
  }
  FinishCall finish;
  finish.attempt = ResultNumber(last_ended_);
  finish.code = last_code_;
  finish.reason = reason;
  finish.last_failure = ResultNumber(last_failure);
  Finish(finish, now, actions);
}

// Of the first attempt: its duration, or its age when another won; streams:
// until the first message. Failures are over fast and say nothing.
void CallEngine::NoteLatency(Instant now) {
  if (setup_.latency == nullptr || latency_noted_ || first_failed_) return;
  latency_noted_ = true;
  setup_.latency->Record(now - attempts_.front().limits.start, now);
}

bool CallEngine::AnyLive() const {
  return std::any_of(attempts_.begin(), attempts_.end(),
                     [](const Attempt& attempt) { return attempt.live; });
}

}  // namespace retrykit
