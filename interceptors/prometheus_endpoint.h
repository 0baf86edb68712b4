// Serves metrics over HTTP for Prometheus; see
// telemetry/prometheus_endpoint.h.
#ifndef RETRYKIT_INTERCEPTORS_PROMETHEUS_ENDPOINT_H_
#define RETRYKIT_INTERCEPTORS_PROMETHEUS_ENDPOINT_H_

#include "interceptors/telemetry/prometheus_endpoint.h"

#endif  // RETRYKIT_INTERCEPTORS_PROMETHEUS_ENDPOINT_H_
