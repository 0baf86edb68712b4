#include "cli/policy_words.h"

#include "absl/strings/str_cat.h"
#include "cli/words.h"

namespace retrykit {
namespace cli {
namespace {

std::string WindowWords(const CircuitBreakerOptions& breaker) {
  return breaker.window_calls > 0
             ? absl::StrCat("among the last ", breaker.window_calls)
             : absl::StrCat("within ", DurationWords(breaker.window));
}

std::string OpeningWords(const CircuitBreakerOptions& breaker) {
  std::string words =
      absl::StrCat("opens when ", PercentWords(breaker.failure_rate_threshold),
                   " of at least ", breaker.minimum_calls, " attempts ",
                   WindowWords(breaker), " have failed");
  if (breaker.has_slow_calls()) {
    absl::StrAppend(
        &words, ", or ", PercentWords(breaker.slow_call_rate_threshold),
        " took longer than ", DurationWords(breaker.slow_call_duration));
  }
  if (breaker.consecutive_failures > 0) {
    absl::StrAppend(&words, ", or ", breaker.consecutive_failures,
                    " in a row have failed");
  }
  return words + ".";
}

std::string OpenWords(const CircuitBreakerOptions& breaker) {
  std::string words =
      absl::StrCat("open, it refuses calls for ",
                   DurationWords(breaker.open_duration), " +-20 %");
  if (breaker.open_multiplier > 1 &&
      breaker.max_open_duration > breaker.open_duration) {
    absl::StrAppend(&words, ", each time ", breaker.open_multiplier,
                    " times as long while probes fail, at most ",
                    DurationWords(breaker.max_open_duration));
  }
  return words + ".";
}

}  // namespace

std::vector<std::string> BreakerWords(const CircuitBreakerOptions& breaker) {
  if (breaker.mode == EnforcementMode::kDisabled) return {"disabled."};
  std::vector<std::string> sentences = {
      OpeningWords(breaker),
      absl::StrCat("failures are ", CodeWords(breaker.failure_status_codes),
                   "."),
      OpenWords(breaker),
      absl::StrCat(
          "then ",
          Counted(breaker.half_open_probes, "probe passes", "probes pass"),
          " at a time; ",
          Counted(breaker.half_open_successes, "success closes",
                  "successes close"),
          " it, one failure opens it again.")};
  if (breaker.per_method) sentences.push_back("one for each method.");
  if (breaker.mode == EnforcementMode::kReportOnly)
    sentences.push_back("report only: it refuses nothing.");
  return sentences;
}

std::vector<std::string> HedgingWords(const HedgingOptions& hedging,
                                      int attempts) {
  const std::string others = Counted(attempts - 1, "hedge", "hedges");
  const std::string delay = DurationWords(hedging.hedging_delay);
  std::vector<std::string> sentences;
  if (hedging.delay_percentile > 0) {
    sentences.push_back(absl::StrCat(
        "up to ", others, ", each after the p", hedging.delay_percentile,
        " of the method's successes of the last minute (at least ",
        DurationWords(hedging.min_delay), "; ", delay, " below 100 of them)."));
  } else if (hedging.hedging_delay > absl::ZeroDuration()) {
    sentences.push_back(
        absl::StrCat("up to ", others, ", one after each ", delay, "."));
  } else {
    sentences.push_back(absl::StrCat(others, ", all at once."));
  }
  sentences.push_back(absl::StrCat("the next one at once after ",
                                   CodeWords(hedging.non_fatal_status_codes),
                                   "; any other failure ends the call."));
  if (hedging.max_extra_load) {
    sentences.push_back(absl::StrCat("at most ",
                                     PercentWords(*hedging.max_extra_load),
                                     " more load, plus 3 within 10s."));
  }
  if (hedging.mode == EnforcementMode::kReportOnly)
    sentences.push_back("report only: no hedge is sent.");
  return sentences;
}

}  // namespace cli
}  // namespace retrykit
