#include "interceptors/adapter/target_state.h"

namespace retrykit {
namespace {

// A proxy may forward any number of method names: those beyond share one.
constexpr size_t kMostHedgedMethods = 256;

}  // namespace

std::shared_ptr<RetryBudget> TargetState::budget() const {
  MutexLock lock(mu_);
  return budget_;
}

std::shared_ptr<CircuitBreaker> TargetState::BreakerFor(
    const MethodPolicy& policy, absl::string_view method, Instant now) {
  if (!policy.breaker) return nullptr;
  Key key{policy.entry,
          policy.breaker->per_method ? std::string(method) : std::string()};
  MutexLock lock(mu_);
  std::shared_ptr<CircuitBreaker>& breaker = breakers_[std::move(key)];
  if (breaker == nullptr)
    breaker = std::make_shared<CircuitBreaker>(*policy.breaker, now);
  return breaker;
}

std::shared_ptr<HedgeState> TargetState::HedgeStateFor(
    absl::string_view method) {
  MutexLock lock(mu_);
  const bool known = hedge_states_.contains(method);
  if (!known && hedge_states_.size() >= kMostHedgedMethods) method = "";
  std::shared_ptr<HedgeState>& state = hedge_states_[method];
  if (state == nullptr) state = std::make_shared<HedgeState>();
  return state;
}

void TargetState::SetThrottling(
    const absl::optional<RetryBudgetOptions>& throttling) {
  MutexLock lock(mu_);
  if (!throttling) {
    budget_ = nullptr;
  } else if (budget_ == nullptr) {
    budget_ = std::make_shared<RetryBudget>(*throttling);
  } else {
    budget_->Reconfigure(*throttling);
  }
}

}  // namespace retrykit
