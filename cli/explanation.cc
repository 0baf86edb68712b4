#include "cli/explanation.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/policy_words.h"
#include "cli/words.h"

namespace retrykit {
namespace cli {
namespace {

// "  label     text"
std::string Line(absl::string_view label, absl::string_view text) {
  return absl::StrFormat("  %-11s%s\n", label, text);
}

std::string Lines(absl::string_view label,
                  const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences)
    text += Line(text.empty() ? label : "", sentence);
  return text;
}

std::string DelayTable(const std::vector<DelaySpread>& delays) {
  std::string text = absl::StrFormat("  %-11s%-10s%10s%10s%10s%10s\n", "waits",
                                     "", "min", "median", "p95", "max");
  for (std::size_t i = 0; i < delays.size(); ++i) {
    const DelaySpread& delay = delays[i];
    absl::StrAppendFormat(&text, "  %-11s%-10s%10s%10s%10s%10s\n", "",
                          absl::StrCat("retry ", i + 1),
                          DurationWords(delay.least),
                          DurationWords(delay.median), DurationWords(delay.p95),
                          DurationWords(delay.most));
  }
  return text;
}

std::string RetryText(const PolicyFacts& facts) {
  const RetryOptions& retry = *facts.policy->retry;
  const BackoffOptions& backoff = retry.backoff;
  std::string what = CodeWords(retry.retryable_status_codes);
  if (facts.policy->per_attempt_timeout < absl::InfiniteDuration())
    what += retry.retryable_status_codes.empty()
                ? ""
                : " or an attempt's own timeout";
  if (retry.retryable_status_codes.empty()) what = "an attempt's own timeout";
  std::string text = Line(
      "retries",
      absl::StrCat("up to ", Counted(facts.attempts - 1, "retry", "retries"),
                   " after ", what, "."));
  if (facts.attempts < retry.max_attempts) {
    text += Line("", absl::StrCat("maxAttempts ", retry.max_attempts,
                                  " is clamped to ", facts.attempts, "."));
  }
  text += Line("jitter",
               absl::StrCat(JitterText(backoff.jitter), " from ",
                            DurationWords(backoff.initial_backoff),
                            ", at most ", DurationWords(backoff.max_backoff),
                            ", multiplier ", backoff.multiplier, "."));
  return text + DelayTable(facts.delays);
}

std::string TimeText(const PolicyFacts& facts) {
  const MethodPolicy& policy = *facts.policy;
  std::vector<std::string> sentences;
  if (policy.retry) {
    sentences.push_back(absl::StrCat(
        "all waits together: ", DurationWords(facts.median_wait),
        " as a rule, at most ", DurationWords(facts.longest_wait), "."));
  }
  if (policy.per_attempt_timeout < absl::InfiniteDuration()) {
    sentences.push_back(absl::StrCat(
        "an attempt ends after ", DurationWords(policy.per_attempt_timeout),
        " (a stream's: unless a message has come)."));
  }
  if (facts.longest == absl::InfiniteDuration()) {
    sentences.push_back(
        "no limit to a failing call but the deadline that the caller sets.");
  } else if (facts.longest < facts.longest_unlimited) {
    const std::string otherwise =
        facts.longest_unlimited == absl::InfiniteDuration()
            ? ""
            : absl::StrCat(" (without it after ",
                           DurationWords(facts.longest_unlimited), ")");
    sentences.push_back(absl::StrCat("a failing call ends by its timeout of ",
                                     DurationWords(facts.longest),
                                     " at the latest", otherwise, "."));
  } else {
    const std::string within =
        policy.timeout ? absl::StrCat(", within its timeout of ",
                                      DurationWords(*policy.timeout))
                       : "";
    sentences.push_back(absl::StrCat("a failing call ends after ",
                                     DurationWords(facts.longest),
                                     " at the latest", within, "."));
  }
  return Lines("time", sentences);
}

std::string BudgetText(const PolicyFacts& facts) {
  if (!facts.budget)
    return Line("budget", "none: nothing limits them during an outage.");
  const BudgetFacts& budget = *facts.budget;
  const auto tokens = [](int64_t milli) {
    return absl::StrCat(static_cast<double>(milli) / 1000);
  };
  const char* const what = facts.policy->hedging ? "hedges" : "retries";
  std::vector<std::string> sentences = {
      absl::StrCat(tokens(budget.options.max_milli_tokens), " tokens, ",
                   tokens(budget.options.milli_token_ratio),
                   " back for each success."),
      absl::StrCat(what, " stop when more than ",
                   PercentWords(budget.stopping_share),
                   " of attempts keep failing."),
      absl::StrCat("from a full bucket ", budget.burst, " ", what,
                   " if nothing succeeds; ", budget.to_recover,
                   " successes bring an empty one back.")};
  if (budget.options.mode == EnforcementMode::kReportOnly)
    sentences.push_back("report only: it refuses nothing.");
  return Lines("budget", sentences);
}

std::string OtherText(const MethodPolicy& policy) {
  std::string text;
  if (policy.breaker) text += Lines("breaker", BreakerWords(*policy.breaker));
  if (!policy.idempotency_key_header.empty()) {
    text += Line("key", absl::StrCat("a random one for each call in ",
                                     policy.idempotency_key_header,
                                     ", the same on all its attempts."));
  }
  if (policy.retry) {
    text += Line("nested", policy.suppress_nested_retries
                               ? "calls made for an inbound retry are not "
                                 "retried themselves."
                               : "calls made for an inbound retry are retried "
                                 "too.");
  }
  if (policy.wait_for_ready) {
    text += Line("connection", *policy.wait_for_ready
                                   ? "calls wait for one."
                                   : "calls fail at once while there is none.");
  }
  return text;
}

}  // namespace

const char* JitterText(Jitter jitter) {
  switch (jitter) {
    case Jitter::kDecorrelated:
      return "DECORRELATED";
    case Jitter::kFull:
      return "FULL";
    case Jitter::kEqual:
      return "EQUAL";
    case Jitter::kProportional:
      return "PROPORTIONAL";
    case Jitter::kNone:
      break;
  }
  return "NONE";
}

std::string ExplanationText(const PolicyFacts& facts) {
  std::string text = absl::StrCat(facts.subject, "\n");
  if (facts.policy == nullptr)
    return text + "  no entry names it: its calls are passed through.\n";
  const MethodPolicy& policy = *facts.policy;
  if (!policy.has_any())
    return text + "  its entry has no policy: calls are passed through.\n";
  const bool repeats = policy.retry || policy.hedging;
  text += Line("attempts",
               facts.attempts == 1
                   ? "1: nothing is sent twice."
                   : absl::StrCat("at worst ", facts.attempts, " per call."));
  if (policy.retry) text += RetryText(facts);
  if (policy.hedging)
    text += Lines("hedging", HedgingWords(*policy.hedging, facts.attempts));
  text += TimeText(facts);
  if (repeats) text += BudgetText(facts);
  return text + OtherText(policy);
}

}  // namespace cli
}  // namespace retrykit
