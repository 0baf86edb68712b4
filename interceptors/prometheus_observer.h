// Prometheus metrics of what retrykit does; see
// telemetry/prometheus_observer.h.
#ifndef RETRYKIT_INTERCEPTORS_PROMETHEUS_OBSERVER_H_
#define RETRYKIT_INTERCEPTORS_PROMETHEUS_OBSERVER_H_

#include "interceptors/telemetry/prometheus_observer.h"

#endif  // RETRYKIT_INTERCEPTORS_PROMETHEUS_OBSERVER_H_
