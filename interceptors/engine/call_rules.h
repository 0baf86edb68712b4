// From a method's policy to the rules of its calls, in production and in the
// simulator alike.
//
// Thread-safety: pure functions, but for the tracker, which is thread-safe.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_CALL_RULES_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_CALL_RULES_H_

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/policy/latency_tracker.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/verdict.h"

namespace retrykit {

// `max_attempts_limit` >= 1 clamps the policy's maxAttempts. max_server_delay
// keeps its default.
RetryRules RetryRulesOf(const MethodPolicy& policy, int max_attempts_limit);
HedgeRules HedgeRulesOf(const HedgingOptions& hedging, int max_attempts_limit);

// What the method's own latencies put in the place of hedgingDelay, never under
// minDelay; nullopt below the fewest samples. delay_percentile is set.
absl::optional<absl::Duration> LearnedDelay(const HedgingOptions& hedging,
                                            LatencyTracker& latency,
                                            Instant now);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_CALL_RULES_H_
