#include "interceptors/config/config.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interceptors/config/core_part.h"
#include "interceptors/config/field_rules.h"
#include "interceptors/config/json_reader.h"
#include "interceptors/config/strict_json.h"
#include "interceptors/config/validate.h"
#include "proto/retrykit/v1/service_config.pb.h"

namespace retrykit {
namespace {

// "/pkg.Svc/A,/pkg.Svc/B", sorted.
std::string EntryName(const std::vector<std::string>& paths) {
  std::vector<std::string> names = paths;
  for (std::string& name : names) {
    if (name.empty()) name = "default";
  }
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, ",");
}

std::vector<PolicyTable::Entry> ValidateEntries(const v1::ServiceConfig& config,
                                                ConfigErrors& errors) {
  std::vector<PolicyTable::Entry> entries;
  absl::flat_hash_set<std::string> taken;
  const ConfigErrors::Field list(errors, "methodConfig");
  for (int i = 0; i < config.method_config_size(); ++i) {
    const ConfigErrors::Field element(errors, static_cast<std::size_t>(i));
    if (errors.FieldHasErrors()) continue;  // Not an object.
    const v1::MethodConfig& entry = config.method_config(i);
    MethodPolicy policy = ValidateMethodConfig(entry, errors);
    std::vector<std::string> paths = ValidateNames(entry, taken, errors);
    policy.entry = EntryName(paths);
    entries.push_back({std::move(paths), std::make_shared<const MethodPolicy>(
                                             std::move(policy))});
  }
  return entries;
}

absl::optional<RetryBudgetOptions> ValidateBudget(
    const v1::ServiceConfig& config, ConfigErrors& errors) {
  if (!config.has_retry_throttling()) return absl::nullopt;
  const ConfigErrors::Field field(errors, "retryThrottling");
  RetryBudgetOptions options =
      ValidateThrottling(config.retry_throttling(), errors);
  if (config.retrykit().throttling_mode() == v1::GlobalOptions::REPORT_ONLY) {
    options.mode = EnforcementMode::kReportOnly;
  }
  return options;
}

// What only the text shows and the policies do not.
std::vector<std::string> TextWarnings(
    const v1::ServiceConfig& config, const JsonValue& root,
    const std::vector<std::size_t>& passed_on) {
  std::vector<std::string> warnings;
  for (const std::size_t i : passed_on) {
    warnings.push_back(
        absl::StrCat(ShownKey(root.keys[i]),
                     ": not known to retrykit, handed on to gRPC core"));
  }
  for (int i = 0; i < config.method_config_size(); ++i) {
    const v1::MethodConfig& entry = config.method_config(i);
    if (!entry.has_timeout()) continue;
    if (ToDuration(entry.timeout()) > absl::ZeroDuration()) continue;
    warnings.push_back(absl::StrCat("methodConfig[", i,
                                    "].timeout: zero means unset, no limit"));
  }
  return warnings;
}

}  // namespace

absl::StatusOr<ParsedConfig> ParseConfig(absl::string_view json) {
  std::vector<ConfigMistake> mistakes;
  return ParseConfig(json, mistakes);
}

absl::StatusOr<ParsedConfig> ParseConfig(absl::string_view json,
                                         std::vector<ConfigMistake>& mistakes) {
  mistakes.clear();
  // 1. Is it JSON? 2. Does it have the schema's types? 3. Do its values make
  // sense? The last two together, so that all mistakes are told at once.
  const auto root = ParseStrictJson(json);
  if (!root.ok()) return root.status();
  ConfigErrors errors;
  v1::ServiceConfig message;
  const auto passed_on = ReadServiceConfig(*root, message, errors);
  ParsedConfig config;
  config.throttling = ValidateBudget(message, errors);
  const auto entries = ValidateEntries(message, errors);
  mistakes = errors.ToList();
  if (!errors.ok()) return errors.ToStatus();
  config.table = std::make_shared<const PolicyTable>(entries);
  config.core_parts = CoreParts(message, *root, passed_on);
  config.core_json = JoinCoreParts(config.core_parts);
  config.text_warnings = TextWarnings(message, *root, passed_on);
  config.warnings = WarningsFor(config, kDefaultMaxAttemptsLimit);
  return config;
}

std::vector<std::string> CoreDifferences(const ParsedConfig& a,
                                         const ParsedConfig& b) {
  std::vector<std::string> keys;
  for (const auto& part : a.core_parts) {
    const auto other = b.core_parts.find(part.first);
    if (other == b.core_parts.end() || other->second != part.second) {
      keys.push_back(part.first);
    }
  }
  for (const auto& part : b.core_parts) {
    if (a.core_parts.count(part.first) == 0) keys.push_back(part.first);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

absl::optional<absl::Duration> SmallestInitialBackoff(
    const PolicyTable& table) {
  absl::optional<absl::Duration> smallest;
  for (const auto& policy : table.policies()) {
    if (!policy->retry) continue;
    const absl::Duration initial = policy->retry->backoff.initial_backoff;
    smallest = std::min(smallest.value_or(initial), initial);
  }
  return smallest;
}

absl::optional<absl::Duration> SmallestOpenDuration(const PolicyTable& table) {
  absl::optional<absl::Duration> smallest;
  for (const auto& policy : table.policies()) {
    if (!policy->breaker) continue;
    const absl::Duration open = policy->breaker->open_duration;
    smallest = std::min(smallest.value_or(open), open);
  }
  return smallest;
}

}  // namespace retrykit
