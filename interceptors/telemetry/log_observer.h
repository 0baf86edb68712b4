// One line per event that says something: retries, hedges, refusals, breaker
// changes, attempts that failed or were given up, failed calls. A call that
// succeeds at the first attempt says nothing.
//
//   options.observers.push_back(retrykit::MakeLogObserver());
//
//   retrykit event=retry_scheduled call=7 target=dns:///payments
//   method=/payments.v1.Payments/Charge attempt=2 delay=50ms source=backoff
//
// Keys and values are separated by '='; a value with a blank, a quote or a
// control character stands in double quotes, C-escaped.
//
// Thread-safety: the sink is called from any thread, for several events at
// once.
#ifndef RETRYKIT_INTERCEPTORS_TELEMETRY_LOG_OBSERVER_H_
#define RETRYKIT_INTERCEPTORS_TELEMETRY_LOG_OBSERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "interceptors/engine/events.h"

namespace retrykit {

// `sink` gets each line without a line end. Null: standard error.
std::shared_ptr<Observer> MakeLogObserver(
    std::function<void(absl::string_view)> sink = nullptr);

// The line of an event; empty for one that says nothing.
std::string LogLine(const CallEvent& event);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_TELEMETRY_LOG_OBSERVER_H_
