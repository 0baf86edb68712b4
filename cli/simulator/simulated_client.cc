#include "cli/simulator/simulated_client.h"

#include <algorithm>

#include "interceptors/config/config.h"
#include "interceptors/engine/call_rules.h"

namespace retrykit {
namespace cli {
namespace {

absl::optional<HedgeRules> HedgingOf(const MethodPolicy& policy) {
  if (!policy.hedging || policy.hedging->mode == EnforcementMode::kDisabled)
    return absl::nullopt;
  return HedgeRulesOf(*policy.hedging, kDefaultMaxAttemptsLimit);
}

}  // namespace

SimulatedClient::SimulatedClient(const SimulatedPolicy& policy, Instant now)
    : policy_(policy),
      rules_(RetryRulesOf(policy.method, kDefaultMaxAttemptsLimit)),
      hedging_(HedgingOf(policy.method)) {
  const MethodPolicy& method = policy.method;
  if (policy.throttling && method.has_any())
    budget_ = std::make_unique<RetryBudget>(*policy.throttling);
  if (method.breaker && method.breaker->mode != EnforcementMode::kDisabled)
    breaker_ = std::make_unique<CircuitBreaker>(*method.breaker, now);
  if (!hedging_) return;
  hedge_load_ = std::make_unique<HedgeLoad>();
  if (method.hedging->delay_percentile > 0)
    latency_ = std::make_unique<LatencyTracker>();
}

CallSetup SimulatedClient::SetupFor(Instant now, Instant deadline,
                                    SeededRandom& random,
                                    absl::optional<HedgeRules>& own_hedging) {
  const MethodPolicy& method = policy_.method;
  CallSetup setup;
  setup.rules = &rules_;
  setup.budget = budget_.get();
  setup.breaker = breaker_.get();
  setup.random = &random;
  setup.deadline = deadline;
  if (method.timeout)
    setup.deadline = std::min(deadline, now + *method.timeout);
  setup.per_attempt_timeout = method.per_attempt_timeout;
  if (method.breaker)
    setup.slow_call_duration = method.breaker->slow_call_duration;
  if (!hedging_) return setup;
  setup.hedging = &*hedging_;
  setup.hedge_load = hedge_load_.get();
  setup.latency = latency_.get();
  if (latency_ == nullptr) return setup;
  const auto learned = LearnedDelay(*method.hedging, *latency_, now);
  if (!learned) return setup;
  own_hedging = hedging_;
  own_hedging->delay = *learned;
  setup.hedging = &*own_hedging;
  return setup;
}

double SimulatedClient::budget_share() const {
  if (budget_ == nullptr) return 1;
  return static_cast<double>(budget_->milli_tokens()) /
         static_cast<double>(budget_->max_milli_tokens());
}

bool SimulatedClient::breaker_closed() const {
  return breaker_ == nullptr ||
         breaker_->state() == CircuitBreaker::State::kClosed;
}

}  // namespace cli
}  // namespace retrykit
