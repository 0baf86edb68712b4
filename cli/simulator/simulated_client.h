// A client process: the budget, the breaker and the hedging state that its
// calls share, and the setups of its calls, as in production.
//
// Thread-safety: none. Lifetime: the policy must outlive it.
#ifndef RETRYKIT_CLI_SIMULATOR_SIMULATED_CLIENT_H_
#define RETRYKIT_CLI_SIMULATOR_SIMULATED_CLIENT_H_

#include <memory>

#include "absl/types/optional.h"
#include "cli/seeded_random.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/hedge_load.h"
#include "interceptors/policy/latency_tracker.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {
namespace cli {

// What all clients run under.
struct SimulatedPolicy {
  MethodPolicy method;  // Without any policy: one attempt per call.
  absl::optional<RetryBudgetOptions> throttling;
};

class SimulatedClient {
 public:
  SimulatedClient(const SimulatedPolicy& policy, Instant now);

  // Of a call that begins at `now`. `own_hedging` is the call's, for a delay
  // that was learned.
  CallSetup SetupFor(Instant now, Instant deadline, SeededRandom& random,
                     absl::optional<HedgeRules>& own_hedging);

  double budget_share() const;  // Tokens over maxTokens; 1 without a budget.
  bool breaker_closed() const;

 private:
  const SimulatedPolicy& policy_;
  RetryRules rules_;
  absl::optional<HedgeRules> hedging_;
  std::unique_ptr<RetryBudget> budget_;
  std::unique_ptr<CircuitBreaker> breaker_;
  std::unique_ptr<HedgeLoad> hedge_load_;
  std::unique_ptr<LatencyTracker> latency_;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_SIMULATED_CLIENT_H_
