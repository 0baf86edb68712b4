#include "cli/policy_facts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace retrykit {
namespace cli {
namespace {

// Asked of the production budget, not computed beside it.
BudgetFacts FactsOfBudget(const RetryBudgetOptions& options) {
  BudgetFacts facts;
  facts.options = options;
  const double ratio = static_cast<double>(options.milli_token_ratio) / 1000;
  facts.stopping_share = ratio / (1 + ratio);
  RetryBudget budget(options);
  budget.RecordFailure();
  for (; budget.WouldAllow(); budget.RecordFailure()) ++facts.burst;
  while (budget.milli_tokens() > 0) budget.RecordFailure();
  for (; !budget.WouldAllow(); budget.RecordSuccess()) ++facts.to_recover;
  return facts;
}

int AttemptsOf(const MethodPolicy& policy) {
  int attempts = 1;
  if (policy.retry) attempts = policy.retry->max_attempts;
  if (policy.hedging && policy.hedging->mode == EnforcementMode::kEnforce)
    attempts = policy.hedging->max_attempts;
  return std::min(attempts, kDefaultMaxAttemptsLimit);
}

}  // namespace

PolicyFacts FactsOf(std::string subject,
                    std::shared_ptr<const MethodPolicy> policy,
                    const absl::optional<RetryBudgetOptions>& throttling,
                    RandomSource& random) {
  PolicyFacts facts;
  facts.subject = std::move(subject);
  facts.policy = std::move(policy);
  facts.longest = facts.longest_unlimited = absl::InfiniteDuration();
  if (facts.policy == nullptr) return facts;
  const MethodPolicy& rules = *facts.policy;
  facts.attempts = AttemptsOf(rules);
  if (rules.retry)
    facts.delays = DelaysOf(rules.retry->backoff, facts.attempts - 1, random);
  for (const DelaySpread& delay : facts.delays) {
    facts.median_wait += delay.median;
    facts.longest_wait += delay.most;
  }
  // Hedges run side by side: the last one begins after the delays before it.
  if (rules.hedging) {
    facts.longest_unlimited =
        rules.hedging->hedging_delay * (facts.attempts - 1) +
        rules.per_attempt_timeout;
  } else {
    facts.longest_unlimited =
        facts.longest_wait + rules.per_attempt_timeout * facts.attempts;
  }
  facts.longest = std::min(facts.longest_unlimited,
                           rules.timeout.value_or(absl::InfiniteDuration()));
  if (throttling && (rules.retry || rules.hedging))
    facts.budget = FactsOfBudget(*throttling);
  return facts;
}

std::vector<PolicyFacts> FactsOf(const ParsedConfig& config,
                                 absl::string_view method,
                                 RandomSource& random) {
  std::vector<PolicyFacts> all;
  if (!method.empty()) {
    all.push_back(FactsOf(std::string(method), config.table->Find(method),
                          config.throttling, random));
    return all;
  }
  for (const auto& policy : config.table->policies()) {
    all.push_back(
        FactsOf(absl::StrJoin(absl::StrSplit(policy->entry, ','), ", "), policy,
                config.throttling, random));
  }
  return all;
}

}  // namespace cli
}  // namespace retrykit
