// From messages of the schema, as the reader filled them, to the policies that
// they mean: ranges, required fields, and what excludes what.
//
// Each function looks at one message, records its mistakes at the path of
// `errors` (which must be the message's), and gives what it means; with
// mistakes, the result is of no use.
//
// Thread-safety: pure but for `errors`.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_VALIDATE_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_VALIDATE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "interceptors/config/config_errors.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "proto/retrykit/v1/service_config.pb.h"

namespace retrykit {

// Everything below but the names.
MethodPolicy ValidateMethodConfig(const v1::MethodConfig& config,
                                  ConfigErrors& errors);

// The entry's paths: "/service/method", "/service/", "" for the default.
// `taken` holds the paths of the whole file so far.
std::vector<std::string> ValidateNames(const v1::MethodConfig& config,
                                       absl::flat_hash_set<std::string>& taken,
                                       ConfigErrors& errors);

RetryOptions ValidateRetryPolicy(const v1::MethodConfig& config,
                                 ConfigErrors& errors);
HedgingOptions ValidateHedgingPolicy(const v1::HedgingPolicy& policy,
                                     ConfigErrors& errors);
// `retrykit.hedging`, which adds to what `hedgingPolicy` said.
void ValidateHedging(const v1::Hedging& hedging, bool has_hedging_delay,
                     HedgingOptions& options, ConfigErrors& errors);
CircuitBreakerOptions ValidateCircuitBreaker(const v1::CircuitBreaker& breaker,
                                             ConfigErrors& errors);
RetryBudgetOptions ValidateThrottling(const v1::RetryThrottling& throttling,
                                      ConfigErrors& errors);
// The header's name.
std::string ValidateIdempotencyKey(const v1::IdempotencyKey& key,
                                   ConfigErrors& errors);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_VALIDATE_H_
