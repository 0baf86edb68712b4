#include "interceptors/config/core_part.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace retrykit {
namespace {

bool HasSizes(const v1::MethodConfig& config) {
  return config.has_max_request_message_bytes() ||
         config.has_max_response_message_bytes();
}

std::string NameJson(const v1::Name& name) {
  if (name.service().empty()) return "{}";
  std::string json = absl::StrCat("{\"service\":", QuoteJson(name.service()));
  if (!name.method().empty()) {
    absl::StrAppend(&json, ",\"method\":", QuoteJson(name.method()));
  }
  return json + "}";
}

std::string EntryJson(const v1::MethodConfig& config) {
  std::vector<std::string> names;
  for (const v1::Name& name : config.name()) names.push_back(NameJson(name));
  std::string json =
      absl::StrCat("{\"name\":[", absl::StrJoin(names, ","), "]");
  if (config.has_max_request_message_bytes()) {
    absl::StrAppend(&json, ",\"maxRequestMessageBytes\":",
                    config.max_request_message_bytes());
  }
  if (config.has_max_response_message_bytes()) {
    absl::StrAppend(&json, ",\"maxResponseMessageBytes\":",
                    config.max_response_message_bytes());
  }
  return json + "}";
}

// Entries without sizes stand there too: they shadow less specific ones.
std::string EntriesJson(const v1::ServiceConfig& config) {
  std::vector<std::string> entries;
  for (const v1::MethodConfig& entry : config.method_config()) {
    entries.push_back(EntryJson(entry));
  }
  return absl::StrCat("[", absl::StrJoin(entries, ","), "]");
}

bool AnySizes(const v1::ServiceConfig& config) {
  for (const v1::MethodConfig& entry : config.method_config()) {
    if (HasSizes(entry)) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, std::string> CoreParts(
    const v1::ServiceConfig& config, const JsonValue& root,
    const std::vector<std::size_t>& passed_on) {
  std::map<std::string, std::string> parts;
  if (config.has_load_balancing_config()) {
    parts["loadBalancingConfig"] = config.load_balancing_config().json();
  }
  if (config.has_load_balancing_policy()) {
    parts["loadBalancingPolicy"] = config.load_balancing_policy().json();
  }
  if (config.has_health_check_config()) {
    parts["healthCheckConfig"] = config.health_check_config().json();
  }
  if (AnySizes(config)) parts["methodConfig"] = EntriesJson(config);
  for (const std::size_t i : passed_on) {
    parts[root.keys[i]] = WriteJson(root.elements[i]);
  }
  return parts;
}

std::string JoinCoreParts(const std::map<std::string, std::string>& parts) {
  std::vector<std::string> members;
  for (const auto& part : parts) {
    members.push_back(absl::StrCat(QuoteJson(part.first), ":", part.second));
  }
  return absl::StrCat("{", absl::StrJoin(members, ","), "}");
}

}  // namespace retrykit
