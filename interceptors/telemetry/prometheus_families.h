// The metric families of spec 5, registered once.
//
// Thread-safety: the families are thread-safe themselves.
// Lifetime: keeps the registry, which owns the families.
#ifndef RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_FAMILIES_H_
#define RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_FAMILIES_H_

#include <memory>

#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace retrykit {

struct PrometheusFamilies {
  template <typename Metric>
  using Family = prometheus::Family<Metric>;
  using Counters = Family<prometheus::Counter>;
  using Gauges = Family<prometheus::Gauge>;
  using Histograms = Family<prometheus::Histogram>;

  // Throws std::invalid_argument, as prometheus-cpp does, if the registry has
  // one of the names for another type.
  explicit PrometheusFamilies(std::shared_ptr<prometheus::Registry> owner);

  const std::shared_ptr<prometheus::Registry> registry;
  Counters& calls;
  Counters& attempts;
  Counters& suppressed;
  Counters& retry_successes;
  Counters& hedges;
  Counters& transitions;
  Counters& rejections;
  Counters& reloads;
  Gauges& budget_tokens;
  Gauges& budget_max_tokens;
  Gauges& circuit_state;
  Histograms& call_duration;
  Histograms& attempt_duration;
  Histograms& retry_delay;
};

// Upper bounds of the histograms' buckets, in seconds: 1 ms to 60 s.
const prometheus::Histogram::BucketBoundaries& SecondsBuckets();

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_FAMILIES_H_
