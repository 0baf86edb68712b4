// What all channels of a toolkit to one target share: the retry budget and the
// circuit breakers.
//
// Thread-safety: all members may be called from any thread.
// Lifetime: held by the target's channels and calls; the toolkit knows it
// weakly, so it lives while a channel of the target does.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_TARGET_STATE_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_TARGET_STATE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/method_state.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {

class TargetState {
 public:
  explicit TargetState(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  // Null: the config has no retryThrottling.
  std::shared_ptr<RetryBudget> budget() const;

  // The breaker of the policy's entry, or of the method alone under scope
  // METHOD; made closed on first use. Null: the policy has none.
  std::shared_ptr<CircuitBreaker> BreakerFor(const MethodPolicy& policy,
                                             absl::string_view method,
                                             Instant now);

  // What hedging has learned of the method; kept over a Reload.
  std::shared_ptr<HedgeState> HedgeStateFor(absl::string_view method);

  // The throttling numbers of a new config. Keeps the filled share.
  void SetThrottling(const absl::optional<RetryBudgetOptions>& throttling);

  // A breaker whose entry is in the new config takes its numbers over and
  // keeps its state; the others go, with the calls that still hold them.
  // `find` gives an entry's policy in the new config, or null.
  template <typename Find>
  void UpdateBreakers(const Find& find, Instant now);

 private:
  struct Key {
    std::string entry;
    std::string method;  // Empty: the whole entry's.

    friend bool operator==(const Key& a, const Key& b) {
      return a.entry == b.entry && a.method == b.method;
    }
    template <typename H>
    friend H AbslHashValue(H state, const Key& key) {
      return H::combine(std::move(state), key.entry, key.method);
    }
  };

  const std::string name_;
  mutable Mutex mu_;
  std::shared_ptr<RetryBudget> budget_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<Key, std::shared_ptr<CircuitBreaker>> breakers_
      ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, std::shared_ptr<HedgeState>> hedge_states_
      ABSL_GUARDED_BY(mu_);
};

template <typename Find>
void TargetState::UpdateBreakers(const Find& find, Instant now) {
  MutexLock lock(mu_);
  for (auto it = breakers_.begin(); it != breakers_.end();) {
    const MethodPolicy* policy = find(it->first.entry);
    const bool stays = policy != nullptr && policy->breaker &&
                       policy->breaker->per_method == !it->first.method.empty();
    if (stays) it->second->Reconfigure(*policy->breaker, now);
    const auto here = it++;
    if (!stays) breakers_.erase(here);
  }
}

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_TARGET_STATE_H_
