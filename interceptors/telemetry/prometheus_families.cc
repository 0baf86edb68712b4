#include "interceptors/telemetry/prometheus_families.h"

#include <utility>

namespace retrykit {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Registry;

PrometheusFamilies::Counters& AddCounter(Registry& registry, const char* name,
                                         const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}

PrometheusFamilies::Gauges& AddGauge(Registry& registry, const char* name,
                                     const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry);
}

PrometheusFamilies::Histograms& AddHistogram(Registry& registry,
                                             const char* name,
                                             const char* help) {
  return BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace

PrometheusFamilies::PrometheusFamilies(std::shared_ptr<Registry> owner)
    : registry(std::move(owner)),
      calls(AddCounter(*registry, "retrykit_calls_total",
                       "Calls that ended, by final status code.")),
      attempts(AddCounter(*registry, "retrykit_attempts_total",
                          "Attempts that ended, by status code and kind.")),
      suppressed(AddCounter(*registry, "retrykit_retries_suppressed_total",
                            "Retries and hedges that were not sent, by the "
                            "reason against them.")),
      retry_successes(AddCounter(*registry, "retrykit_retry_success_total",
                                 "Calls that ended OK after more than one "
                                 "attempt.")),
      hedges(AddCounter(*registry, "retrykit_hedges_total",
                        "Hedges that ended: won, lost or failed.")),
      transitions(AddCounter(*registry, "retrykit_circuit_transitions_total",
                             "Changes of a circuit breaker's state.")),
      rejections(AddCounter(*registry, "retrykit_circuit_rejections_total",
                            "Attempts that a circuit breaker refused.")),
      reloads(AddCounter(*registry, "retrykit_config_reloads_total",
                         "Calls of Toolkit::Reload, by result.")),
      budget_tokens(AddGauge(*registry, "retrykit_budget_tokens",
                             "Tokens in the retry budget.")),
      budget_max_tokens(AddGauge(*registry, "retrykit_budget_max_tokens",
                                 "Tokens in a full retry budget; at half of "
                                 "them or below nothing is retried.")),
      circuit_state(AddGauge(*registry, "retrykit_circuit_state",
                             "1 for the circuit breaker's present state, 0 "
                             "for the others.")),
      call_duration(AddHistogram(*registry, "retrykit_call_duration_seconds",
                                 "From a call's start to its end.")),
      attempt_duration(AddHistogram(*registry,
                                    "retrykit_attempt_duration_seconds",
                                    "From an attempt's start to its end.")),
      retry_delay(AddHistogram(*registry, "retrykit_retry_delay_seconds",
                               "Delays before retries, by their source.")) {}

const prometheus::Histogram::BucketBoundaries& SecondsBuckets() {
  static const auto* const buckets =
      new prometheus::Histogram::BucketBoundaries{
          0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
          0.5,   1,      2.5,   5,    10,    30,   60};
  return *buckets;
}

}  // namespace retrykit
