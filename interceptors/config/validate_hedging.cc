#include <limits>

#include "interceptors/config/field_rules.h"
#include "interceptors/config/validate.h"

namespace retrykit {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();
constexpr double kExtraLoadOfPercentile = 0.1;

}  // namespace

HedgingOptions ValidateHedgingPolicy(const v1::HedgingPolicy& policy,
                                     ConfigErrors& errors) {
  HedgingOptions options;
  RequireField(policy.has_max_attempts(), "maxAttempts", errors);
  const auto attempts =
      IntBetween(policy.has_max_attempts(), policy.max_attempts(), 2, kMost,
                 "maxAttempts", errors);
  if (attempts) options.max_attempts = *attempts;
  options.hedging_delay = ToDuration(policy.hedging_delay());
  options.non_fatal_status_codes = FailureCodes(policy.non_fatal_status_codes(),
                                                "nonFatalStatusCodes", errors);
  return options;
}

void ValidateHedging(const v1::Hedging& hedging, bool has_hedging_delay,
                     HedgingOptions& options, ConfigErrors& errors) {
  const auto percentile =
      IntBetween(hedging.has_delay_percentile(), hedging.delay_percentile(), 1,
                 99, "delayPercentile", errors);
  if (percentile) {
    options.delay_percentile = *percentile;
    options.max_extra_load = kExtraLoadOfPercentile;
    if (!has_hedging_delay) {
      AddAt("delayPercentile",
            "needs hedgingPolicy.hedgingDelay, which holds below 100 samples",
            errors);
    }
  }
  const auto min_delay = PositiveDuration(
      hedging.has_min_delay(), hedging.min_delay(), "minDelay", errors);
  if (min_delay) options.min_delay = *min_delay;
  const auto load =
      PositiveNumber(hedging.has_max_extra_load(), hedging.max_extra_load(),
                     "maxExtraLoad", errors);
  if (load) options.max_extra_load = *load;
  options.mode = hedging.mode() == v1::Hedging::REPORT_ONLY
                     ? EnforcementMode::kReportOnly
                     : EnforcementMode::kEnforce;
}

}  // namespace retrykit
