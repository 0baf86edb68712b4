#include "tests/support/step_text.h"

#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"
#include "interceptors/policy/circuit_breaker.h"

namespace retrykit {
namespace {

std::string Labelled(absl::string_view label, absl::Duration duration) {
  if (duration == absl::ZeroDuration()) return "";
  return absl::StrCat(" ", label, " ", absl::FormatDuration(duration));
}

std::string Labelled(absl::string_view label, int number) {
  return number == 0 ? "" : absl::StrCat(" ", label, " ", number);
}

std::string PushbackText(const Pushback& pushback) {
  switch (pushback.kind) {
    case Pushback::Kind::kNone:
      return "";
    case Pushback::Kind::kWait:
      return absl::StrCat(" pushback ", absl::FormatDuration(pushback.delay));
    case Pushback::Kind::kStop:
      return " pushback stop";
  }
  return " pushback unknown";
}

std::string PredicateText(const AttemptOutcome& outcome) {
  if (!outcome.retryable) return "";
  return *outcome.retryable ? " added" : " vetoed";
}

std::string DelayText(const CallEvent& event) {
  if (event.delay_source == DelaySource::kNone) return "";
  return absl::StrCat(" after ", absl::FormatDuration(event.delay), " ",
                      DelaySourceText(event.delay_source));
}

struct EventWriter {
  std::string operator()(const CallStarted&) const { return "CallStarted"; }
  std::string operator()(const AttemptEnded& event) const {
    return absl::StrCat(
        "AttemptEnded ", event.attempt, " ",
        absl::StatusCodeToString(event.outcome.code),
        PushbackText(event.outcome.pushback),
        Labelled("retry_info",
                 event.outcome.retry_info.value_or(absl::ZeroDuration())),
        PredicateText(event.outcome));
  }
  std::string operator()(const HeadersReceived& event) const {
    return absl::StrCat("HeadersReceived ", event.attempt);
  }
  std::string operator()(const MessageArrived& event) const {
    return absl::StrCat("MessageArrived ", event.attempt);
  }
  std::string operator()(const MessageReceived& event) const {
    return absl::StrCat("MessageReceived ", event.attempt);
  }
  std::string operator()(const BufferExceeded&) const {
    return "BufferExceeded";
  }
  std::string operator()(const TimerFired& event) const {
    return absl::StrCat("TimerFired ", event.timer);
  }
  std::string operator()(const CallCancelled&) const { return "CallCancelled"; }
};

struct ActionWriter {
  Instant origin;

  std::string operator()(const StartAttempt& action) const {
    const absl::Duration deadline = action.deadline.is_infinite()
                                        ? absl::ZeroDuration()
                                        : action.deadline - origin;
    return absl::StrCat("StartAttempt ", action.attempt, " ",
                        AttemptKindText(action.kind),
                        Labelled("previous", action.previous_attempts),
                        Labelled("deadline", deadline));
  }
  std::string operator()(const CancelAttempt& action) const {
    return absl::StrCat("CancelAttempt ", action.attempt);
  }
  std::string operator()(const ArmTimer& action) const {
    return absl::StrCat("ArmTimer ", action.timer, " at ",
                        absl::FormatDuration(action.at - origin));
  }
  std::string operator()(const DisarmTimer& action) const {
    return absl::StrCat("DisarmTimer ", action.timer);
  }
  std::string operator()(const CommitAttempt& action) const {
    return absl::StrCat("CommitAttempt ", action.attempt);
  }
  std::string operator()(const FinishCall& action) const {
    return absl::StrCat("FinishCall", Labelled("attempt", action.attempt), " ",
                        absl::StatusCodeToString(action.code), " ",
                        ReasonText(action.reason), " after ", action.attempts,
                        Labelled("last_failure", action.last_failure),
                        Labelled("retry_after", action.retry_after));
  }
};

}  // namespace

std::string StepEventText(const StepEvent& event) {
  return std::visit(EventWriter(), event);
}

std::string ActionText(const Action& action, Instant origin) {
  return std::visit(ActionWriter{origin}, action);
}

std::string CallEventText(const CallEvent& event) {
  using Type = CallEvent::Type;
  const std::string name(CallEventTypeText(event.type));
  switch (event.type) {
    case Type::kAttemptStarted:
    case Type::kRetryScheduled:
      return absl::StrCat(name, " ", event.attempt, " ",
                          AttemptKindText(event.attempt_kind),
                          DelayText(event));
    case Type::kAttemptEnded:
      return absl::StrCat(
          name, " ", event.attempt, " ", AttemptKindText(event.attempt_kind),
          " ", absl::StatusCodeToString(event.code),
          Labelled("took", event.duration),
          event.reason == Reason::kNone ? "" : " ",
          event.reason == Reason::kNone ? "" : ReasonText(event.reason));
    case Type::kRetrySuppressed:
      return absl::StrCat(name, " ", event.attempt, " ",
                          ReasonText(event.reason));
    case Type::kCallCommitted:
      return absl::StrCat(name, " ", event.attempt);
    case Type::kBreakerRejected:
      return absl::StrCat(name, Labelled("retry_after", event.delay));
    case Type::kBreakerChanged:
      return absl::StrCat(name, " ", CircuitStateText(event.from), " to ",
                          CircuitStateText(event.to));
    case Type::kCallEnded:
      return absl::StrCat(name, " ", absl::StatusCodeToString(event.code), " ",
                          ReasonText(event.reason),
                          Labelled("attempts", event.attempt),
                          Labelled("took", event.duration));
    default:
      return name;
  }
}

}  // namespace retrykit
