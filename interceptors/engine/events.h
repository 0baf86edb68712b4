// What observers are told.
//
//   class Printer : public retrykit::Observer {
//     void OnEvent(const retrykit::CallEvent& event) override {
//       if (event.type == retrykit::CallEvent::Type::kRetryScheduled) ...
//     }
//   };
//   options.observers.push_back(std::make_shared<Printer>());
//
// Thread-safety: OnEvent is called from any thread, for several calls at once;
// the events of one call come in order, one at a time. No lock is held. An
// observer must not block; it may call the toolkit.
// Lifetime: an event and every string_view in it are valid only during OnEvent.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_EVENTS_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_EVENTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"
#include "interceptors/policy/circuit_breaker.h"

namespace retrykit {

// Whose breaker guards a call.
enum class BreakerScope : unsigned char {
  kNone,    // Nobody's.
  kEntry,   // One for all methods of the methodConfig entry.
  kMethod,  // The method's own.
};

struct CallEvent {
  enum class Type : unsigned char {
    kCallStarted,
    kAttemptStarted,      // attempt, attempt_kind, delay and its source.
    kAttemptEnded,        // code, message, peer, duration. reason: kNone, or
                          // why its result was not waited for: kLost,
                          // kCancelled.
    kRetryScheduled,      // attempt (the coming one), delay, delay_source.
    kRetrySuppressed,     // reason: a retryable failure is not retried.
    kCallCommitted,       // attempt: no other may replace it from now on.
    kBudgetWouldRefuse,   // Throttling is REPORT_ONLY and would have said no.
    kBreakerWouldRefuse,  // The breaker is REPORT_ONLY and would have said no.
    kBreakerRejected,     // ENFORCE: nothing was sent. delay: the time left.
    kBreakerChanged,      // from, to; entry.
    kNotHedgeable,        // Once per method: hedging on a kind that cannot be.
    kHedgeWouldStart,     // Hedging is REPORT_ONLY and would have sent one.
    kConfigReloaded,      // code: OK, or why the new config was refused.
    kCallEnded,  // code, message, duration, attempt (how many), reason.
  };

  Type type = Type::kCallStarted;
  uint64_t call =
      0;  // Unique in the process; 0 for events that belong to no call.
  absl::string_view target;  // As given to CreateChannel or Prepare.
  absl::string_view
      method;               // "/pkg.Service/Method"; empty where there is none.
  absl::string_view entry;  // The methodConfig entry's sorted names; empty:
                            // the method has no policy.
  int attempt = 0;          // From 1.
  AttemptKind attempt_kind = AttemptKind::kFirst;
  absl::StatusCode code = absl::StatusCode::kOk;
  absl::string_view message;
  absl::string_view peer;                         // "" where not known.
  absl::Duration delay = absl::ZeroDuration();    // Waited before the attempt.
  DelaySource delay_source = DelaySource::kNone;  // Where that delay came from.
  absl::Duration since_start = absl::ZeroDuration();  // Since the call started.
  absl::Duration duration =
      absl::ZeroDuration();  // Of the attempt or the call.
  Reason reason = Reason::kNone;
  CircuitBreaker::State from = CircuitBreaker::State::kClosed;
  CircuitBreaker::State to = CircuitBreaker::State::kClosed;
  BreakerScope breaker_scope = BreakerScope::kNone;
  // The target's retry budget when the event is told, in 1/1000 of a token:
  // what it holds, and what it holds when full. Both zero: there is none, or
  // the event belongs to no call.
  int64_t budget_milli_tokens = 0;
  int64_t budget_max_milli_tokens = 0;
};

// "call_started", "attempt_ended", ...
absl::string_view CallEventTypeText(CallEvent::Type type);

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnEvent(const CallEvent& event) = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_EVENTS_H_
