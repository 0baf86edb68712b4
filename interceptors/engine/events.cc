#include "interceptors/engine/events.h"

namespace retrykit {

absl::string_view CallEventTypeText(CallEvent::Type type) {
  switch (type) {
    case CallEvent::Type::kCallStarted:
      return "call_started";
    case CallEvent::Type::kAttemptStarted:
      return "attempt_started";
    case CallEvent::Type::kAttemptEnded:
      return "attempt_ended";
    case CallEvent::Type::kRetryScheduled:
      return "retry_scheduled";
    case CallEvent::Type::kRetrySuppressed:
      return "retry_suppressed";
    case CallEvent::Type::kCallCommitted:
      return "call_committed";
    case CallEvent::Type::kBudgetWouldRefuse:
      return "budget_would_refuse";
    case CallEvent::Type::kBreakerWouldRefuse:
      return "breaker_would_refuse";
    case CallEvent::Type::kBreakerRejected:
      return "breaker_rejected";
    case CallEvent::Type::kBreakerChanged:
      return "breaker_changed";
    case CallEvent::Type::kNotHedgeable:
      return "not_hedgeable";
    case CallEvent::Type::kHedgeWouldStart:
      return "hedge_would_start";
    case CallEvent::Type::kConfigReloaded:
      return "config_reloaded";
    case CallEvent::Type::kCallEnded:
      return "call_ended";
  }
  return "unknown";
}

}  // namespace retrykit
