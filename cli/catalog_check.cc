#include "cli/catalog_check.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "interceptors/config/json_value.h"
#include "interceptors/config/strict_json.h"
#include "interceptors/config/suggestions.h"

namespace retrykit {
namespace cli {
namespace {

std::string EntryPath(std::size_t index) {
  return absl::StrCat("methodConfig[", index, "]");
}

const JsonValue* Member(const JsonValue& object, absl::string_view key) {
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    if (object.keys[i] == key) return &object.elements[i];
  }
  return nullptr;
}

// "" where it is absent.
std::string TextOf(const JsonValue& object, absl::string_view key) {
  const JsonValue* const member = Member(object, key);
  return member == nullptr ? "" : member->text;
}

void CheckName(const JsonValue& name, const std::string& path,
               const MethodCatalog& catalog,
               std::vector<Diagnosis>& diagnoses) {
  const std::string service = TextOf(name, "service");
  const std::string method = TextOf(name, "method");
  if (service.empty()) return;
  Diagnosis said;
  const auto* const methods = catalog.Find(service);
  if (methods == nullptr) {
    said.path = path + ".service";
    said.text =
        absl::StrCat("no service ", service, " in the descriptor set",
                     DidYouMean(NearestWord(service, catalog.service_names())));
    diagnoses.push_back(std::move(said));
    return;
  }
  std::vector<std::string> names;
  for (const auto& known : *methods) names.push_back(known.name);
  if (method.empty() ||
      std::find(names.begin(), names.end(), method) != names.end())
    return;
  said.path = path + ".method";
  said.text = absl::StrCat("no method ", method, " in ", service,
                           DidYouMean(NearestWord(method, names)));
  diagnoses.push_back(std::move(said));
}

}  // namespace

void CheckNames(absl::string_view text, const MethodCatalog& catalog,
                std::vector<Diagnosis>& diagnoses) {
  const auto root = ParseStrictJson(text);
  if (!root.ok()) return;
  const JsonValue* const entries = Member(*root, "methodConfig");
  if (entries == nullptr) return;
  for (std::size_t i = 0; i < entries->elements.size(); ++i) {
    const JsonValue* const names = Member(entries->elements[i], "name");
    if (names == nullptr) continue;
    for (std::size_t j = 0; j < names->elements.size(); ++j) {
      CheckName(names->elements[j],
                absl::StrCat(EntryPath(i), ".name[", j, "]"), catalog,
                diagnoses);
    }
  }
}

void DropVoidWarnings(const ParsedConfig& config, const MethodCatalog& catalog,
                      std::vector<Diagnosis>& diagnoses) {
  std::map<const MethodPolicy*, bool> idempotent;
  for (const auto& [service, methods] : catalog.services()) {
    for (const auto& method : methods) {
      const auto policy =
          config.table->Find(absl::StrCat("/", service, "/", method.name));
      if (policy == nullptr) continue;
      bool& all = idempotent.emplace(policy.get(), true).first->second;
      all = all && method.declares_idempotency;
    }
  }
  const auto& policies = config.table->policies();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto found = idempotent.find(policies[i].get());
    if (found == idempotent.end() || !found->second) continue;
    const std::string path = EntryPath(i);
    diagnoses.erase(
        std::remove_if(diagnoses.begin(), diagnoses.end(),
                       [&](const Diagnosis& said) {
                         return !said.is_error && said.path == path &&
                                absl::EndsWith(said.text,
                                               kMayBeCarriedOutTwice);
                       }),
        diagnoses.end());
  }
}

void CheckIdempotency(const ParsedConfig& config, const MethodCatalog& catalog,
                      std::vector<Diagnosis>& diagnoses) {
  const auto& policies = config.table->policies();
  for (const auto& [service, methods] : catalog.services()) {
    for (const auto& method : methods) {
      if (method.declares_idempotency) continue;
      const std::string name = absl::StrCat("/", service, "/", method.name);
      const auto policy = config.table->Find(name);
      if (policy == nullptr || !policy->idempotency_key_header.empty())
        continue;
      if (!policy->retry && !policy->hedging) continue;
      const auto entry = std::find(policies.begin(), policies.end(), policy);
      Diagnosis said;
      said.is_error = false;
      said.path = absl::StrCat(
          EntryPath(static_cast<std::size_t>(entry - policies.begin())), ".",
          policy->retry ? "retryPolicy" : "hedgingPolicy");
      said.text = absl::StrCat(
          name, policy->retry ? " is retried" : " is hedged",
          " and declares no idempotency_level: the server may carry out a call "
          "twice");
      diagnoses.push_back(std::move(said));
    }
  }
}

}  // namespace cli
}  // namespace retrykit
