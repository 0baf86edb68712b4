// Structured log lines of what retrykit does; see telemetry/log_observer.h.
#ifndef RETRYKIT_INTERCEPTORS_LOG_OBSERVER_H_
#define RETRYKIT_INTERCEPTORS_LOG_OBSERVER_H_

#include "interceptors/telemetry/log_observer.h"

#endif  // RETRYKIT_INTERCEPTORS_LOG_OBSERVER_H_
