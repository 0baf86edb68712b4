#include <cstdint>
#include <string>

#include "cli/explanation.h"
#include "cli/json_output.h"
#include "cli/policy_words.h"
#include "cli/words.h"

namespace retrykit {
namespace cli {
namespace {

double Tokens(int64_t milli) { return static_cast<double>(milli) / 1000; }

OrderedJson JsonOf(const DelaySpread& delay) {
  return {{"min_seconds", JsonSeconds(delay.least)},
          {"median_seconds", JsonSeconds(delay.median)},
          {"p95_seconds", JsonSeconds(delay.p95)},
          {"max_seconds", JsonSeconds(delay.most)}};
}

OrderedJson JsonOf(const BudgetFacts& budget) {
  return {{"max_tokens", Tokens(budget.options.max_milli_tokens)},
          {"token_ratio", Tokens(budget.options.milli_token_ratio)},
          {"enforced", budget.options.mode == EnforcementMode::kEnforce},
          {"stops_at_failure_share", budget.stopping_share},
          {"from_a_full_bucket", budget.burst},
          {"successes_to_recover", budget.to_recover}};
}

OrderedJson RetryJson(const PolicyFacts& facts) {
  const RetryOptions& retry = *facts.policy->retry;
  OrderedJson delays = OrderedJson::array();
  for (const DelaySpread& delay : facts.delays) delays.push_back(JsonOf(delay));
  return {{"status_codes", CodeWords(retry.retryable_status_codes)},
          {"jitter", JitterText(retry.backoff.jitter)},
          {"delays", delays},
          {"median_wait_seconds", JsonSeconds(facts.median_wait)},
          {"longest_wait_seconds", JsonSeconds(facts.longest_wait)}};
}

OrderedJson JsonOf(const PolicyFacts& facts) {
  OrderedJson json = {{"subject", facts.subject}};
  const bool any = facts.policy != nullptr && facts.policy->has_any();
  json["passed_through"] = !any;
  if (!any) return json;
  const MethodPolicy& policy = *facts.policy;
  json["entry"] = policy.entry;
  json["attempts_at_worst"] = facts.attempts;
  json["timeout_seconds"] =
      JsonSeconds(policy.timeout.value_or(absl::InfiniteDuration()));
  json["per_attempt_timeout_seconds"] = JsonSeconds(policy.per_attempt_timeout);
  json["longest_failure_seconds"] = JsonSeconds(facts.longest);
  json["retry"] = policy.retry ? RetryJson(facts) : OrderedJson();
  json["hedging"] =
      policy.hedging
          ? OrderedJson(HedgingWords(*policy.hedging, facts.attempts))
          : OrderedJson();
  json["budget"] = facts.budget ? JsonOf(*facts.budget) : OrderedJson();
  json["breaker"] = policy.breaker ? OrderedJson(BreakerWords(*policy.breaker))
                                   : OrderedJson();
  json["idempotency_key_header"] =
      policy.idempotency_key_header.empty()
          ? OrderedJson()
          : OrderedJson(policy.idempotency_key_header);
  return json;
}

}  // namespace

std::string ExplanationJson(const std::vector<PolicyFacts>& all) {
  OrderedJson policies = OrderedJson::array();
  for (const PolicyFacts& facts : all) policies.push_back(JsonOf(facts));
  return JsonText({{"policies", policies}});
}

}  // namespace cli
}  // namespace retrykit
