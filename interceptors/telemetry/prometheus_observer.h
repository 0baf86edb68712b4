// Prometheus metrics of what retrykit does, through prometheus-cpp.
//
//   auto registry = std::make_shared<prometheus::Registry>();
//   auto observer = retrykit::MakePrometheusObserver(registry);
//   if (!observer.ok()) return Fail(observer.status());
//   options.observers.push_back(*observer);
//
// Names, and labels beside those of the last column; durations and delays are
// histograms in seconds:
//
//   retrykit_calls_total                code          target, method
//   retrykit_attempts_total             code, kind    target, method
//   retrykit_call_duration_seconds                    target, method
//   retrykit_attempt_duration_seconds                 target, method
//   retrykit_retry_delay_seconds        source        target, method
//   retrykit_retries_suppressed_total   reason        target, method
//   retrykit_retry_success_total                      target, method
//   retrykit_hedges_total               outcome       target, method
//   retrykit_budget_tokens                            target
//   retrykit_budget_max_tokens                        target
//   retrykit_circuit_state              state         target, entry
//   retrykit_circuit_transitions_total  from, to      target, entry
//   retrykit_circuit_rejections_total                 target, entry
//   retrykit_config_reloads_total       result
//
// Those of a breaker whose scope is METHOD have `method` too. A hedge has won
// (OK), failed, or lost: another attempt's result counted, or the call was
// cancelled. A reload's result is "ok" or "refused".
//
// The number of label values is bounded: methods without a policy, targets
// after the hundredth, and methods of one target after the 2048th stand as
// "other". Gauges of "other" show what was told last. A method whose calls are
// passed through tells nothing. A breaker is seen from the first call it
// guards; one that a Reload takes away keeps its last state until a breaker
// of the same entry changes.
//
// Thread-safety: as Observer asks. The first event of a target and method
// takes a lock; later ones take only those of prometheus-cpp's histograms.
// Lifetime: the observer keeps the registry. Several may share one; their
// counts add up.
#ifndef RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_OBSERVER_H_
#define RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_OBSERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "interceptors/engine/events.h"
#include "prometheus/registry.h"

namespace retrykit {

// Errors: InvalidArgument for a null registry, and for one that has a metric of
// the same name and another type.
absl::StatusOr<std::shared_ptr<Observer>> MakePrometheusObserver(
    std::shared_ptr<prometheus::Registry> registry);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_OBSERVER_H_
