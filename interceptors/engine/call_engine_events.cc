// The part of the call engine that tells observers what it does.
#include <algorithm>

#include "interceptors/engine/call_engine.h"

namespace retrykit {

// Null when nobody listens: then no event is made at all.
CallEvent* CallEngine::Tell(CallEvent::Type type, Instant now,
                            Actions& actions) const {
  if (!setup_.observed) return nullptr;
  CallEvent& event = actions.events.emplace_back();
  event.type = type;
  event.since_start = std::max(now - started_, absl::ZeroDuration());
  return &event;
}

CallEvent* CallEngine::TellEnd(int number, absl::StatusCode code, Instant now,
                               Actions& actions) const {
  CallEvent* told = Tell(CallEvent::Type::kAttemptEnded, now, actions);
  if (told == nullptr) return nullptr;
  const Attempt& attempt = attempts_[static_cast<size_t>(number) - 1];
  told->attempt = number;
  told->attempt_kind = attempt.kind;
  told->code = code;
  told->duration = now - attempt.limits.start;
  return told;
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

void CallEngine::Suppress(Reason reason, Instant now, Actions& actions) const {
  if (CallEvent* told = Tell(CallEvent::Type::kRetrySuppressed, now, actions)) {
    told->attempt = attempts_started();
    told->reason = reason;
  }
}

}  // namespace retrykit
