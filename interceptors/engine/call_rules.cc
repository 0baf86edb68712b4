#include "interceptors/engine/call_rules.h"

#include <algorithm>

namespace retrykit {

RetryRules RetryRulesOf(const MethodPolicy& policy, int max_attempts_limit) {
  RetryRules rules;
  rules.min_attempt_time = policy.min_attempt_time;
  if (!policy.retry) return rules;
  rules.max_attempts = std::min(policy.retry->max_attempts, max_attempts_limit);
  rules.retryable = policy.retry->retryable_status_codes;
  rules.backoff = policy.retry->backoff;
  return rules;
}

HedgeRules HedgeRulesOf(const HedgingOptions& hedging, int max_attempts_limit) {
  HedgeRules rules;
  rules.max_attempts = std::min(hedging.max_attempts, max_attempts_limit);
  rules.non_fatal = hedging.non_fatal_status_codes;
  rules.delay = hedging.hedging_delay;
  rules.max_extra_load = hedging.max_extra_load;
  rules.report_only = hedging.mode == EnforcementMode::kReportOnly;
  return rules;
}

absl::optional<absl::Duration> LearnedDelay(const HedgingOptions& hedging,
                                            LatencyTracker& latency,
                                            Instant now) {
  const auto learned = latency.Percentile(hedging.delay_percentile, now);
  if (!learned) return absl::nullopt;
  return std::max(*learned, hedging.min_delay);
}

}  // namespace retrykit
