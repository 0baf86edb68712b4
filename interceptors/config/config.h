// From the text of a JSON file to the policies of its methods: all of the
// config room in one call.
//
//   absl::StatusOr<ParsedConfig> config = ParseConfig(json);
//   if (!config.ok()) return config.status();  // every mistake, with its path
//   for (const std::string& warning : config->warnings) Log(warning);
//   auto policy = config->table->Find("/payments.v1.Payments/Charge");
//
// The file's schema is proto/retrykit/v1/service_config.proto.
//
// Thread-safety: pure functions and values.
// Errors: InvalidArgument, never an exception or an abort, whatever the text.
// Known limit: the parts that gRPC core reads (loadBalancingConfig, ...) are
// checked for being JSON only; core's own validator is for the caller.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_CONFIG_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_CONFIG_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/config/config_errors.h"
#include "interceptors/config/policy_table.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {

// `max_attempts_limit` where nobody says another: gRPC core's.
constexpr int kDefaultMaxAttemptsLimit = 5;

// A valid config.
struct ParsedConfig {
  // Never null in what ParseConfig returns.
  std::shared_ptr<const PolicyTable> table;

  // `retryThrottling` and `retrykit.throttlingMode`. Unset: no budget.
  absl::optional<RetryBudgetOptions> throttling;

  // What gRPC core gets: load balancing, health checking, message sizes and
  // the top-level parts that retrykit does not know. "{}" where there is
  // nothing. Free of retries, throttling, timeouts and waitForReady.
  std::string core_json;

  // The parts of core_json: top-level key to compact JSON.
  std::map<std::string, std::string> core_parts;

  // WarningsFor(*this, kDefaultMaxAttemptsLimit).
  std::vector<std::string> warnings;

  // Those of them that come from the text alone and hold for any limit.
  std::vector<std::string> text_warnings;
};

// Errors: InvalidArgument. Either the JSON is not well-formed, then the text
// names the first place with line and column (from 1; the column counts
// characters); or it has all mistakes with their paths, in gRPC core's form:
// "errors validating service config: [field:PATH error:TEXT; ...]".
absl::StatusOr<ParsedConfig> ParseConfig(absl::string_view json);

// The same, and fills `mistakes` with them one by one, in the order of their
// paths; nothing where the text is not JSON.
absl::StatusOr<ParsedConfig> ParseConfig(absl::string_view json,
                                         std::vector<ConfigMistake>& mistakes);

// What is allowed and probably not meant, as "PATH: TEXT". The complete list
// for attempts clamped at `max_attempts_limit`.
std::vector<std::string> WarningsFor(const ParsedConfig& config,
                                     int max_attempts_limit);

// How the warning ends that a method is sent twice and its server may not know;
// its path is the entry's. Void where the methods are known to be idempotent.
constexpr char kMayBeCarriedOutTwice[] =
    " without idempotencyKey: the server may carry out a call twice";

// The clamps alone.
std::vector<std::string> ClampWarnings(const ParsedConfig& config,
                                       int max_attempts_limit);

// The top-level keys of core_json in which two configs differ, sorted. A
// channel keeps core's part from its creation: such a difference has no effect
// on it. "methodConfig" stands for message sizes.
std::vector<std::string> CoreDifferences(const ParsedConfig& a,
                                         const ParsedConfig& b);

// The smallest initialBackoff of all entries, and the smallest openDuration of
// all that have a circuitBreaker. Unset: no entry has one.
absl::optional<absl::Duration> SmallestInitialBackoff(const PolicyTable& table);
absl::optional<absl::Duration> SmallestOpenDuration(const PolicyTable& table);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_CONFIG_H_
