// What a policy amounts to, in numbers.
//
// Thread-safety: pure but for `random`.
#ifndef RETRYKIT_CLI_POLICY_FACTS_H_
#define RETRYKIT_CLI_POLICY_FACTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "cli/delays.h"
#include "interceptors/config/config.h"
#include "interceptors/core/random_source.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {
namespace cli {

// Of the retry budget.
struct BudgetFacts {
  RetryBudgetOptions options;
  double stopping_share = 0;  // Of failed attempts: r / (1 + r).
  int64_t burst = 0;          // Retries from a full bucket, nothing succeeding.
  int64_t to_recover = 0;     // Successes from an empty bucket until a retry.
};

struct PolicyFacts {
  std::string subject;  // The method, or the entry's names.
  // Null: no entry has the method.
  std::shared_ptr<const MethodPolicy> policy;
  int attempts = 1;  // Of a call at worst, clamped.
  std::vector<DelaySpread> delays;
  absl::Duration median_wait;   // The sum of the medians.
  absl::Duration longest_wait;  // All waits together at most.
  // Waits, and attempts that run into perAttemptTimeout; infinite without one.
  absl::Duration longest_unlimited;
  // The same, cut off by `timeout`.
  absl::Duration longest;
  absl::optional<BudgetFacts> budget;  // Of a method with a policy.
};

PolicyFacts FactsOf(std::string subject,
                    std::shared_ptr<const MethodPolicy> policy,
                    const absl::optional<RetryBudgetOptions>& throttling,
                    RandomSource& random);

// Of one method, or (`method` empty) of every entry in the file's order.
std::vector<PolicyFacts> FactsOf(const ParsedConfig& config,
                                 absl::string_view method,
                                 RandomSource& random);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_POLICY_FACTS_H_
