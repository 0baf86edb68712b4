// E06: any text gives a config or an error, and what is accepted can be used.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "interceptors/config/config.h"

namespace retrykit {
namespace {

// Stops the fuzzer with the input that broke it.
void Require(bool holds) {
  if (!holds) std::abort();
}

void UseConfig(const ParsedConfig& config) {
  for (const auto& policy : config.table->policies()) {
    Require(policy != nullptr && !policy->entry.empty());
    Require(!(policy->retry && policy->hedging));
    Require(!policy->timeout || *policy->timeout > absl::ZeroDuration());
    Require(policy->per_attempt_timeout > absl::ZeroDuration());
  }
  config.table->Find("/a.S/M");
  config.table->Find("");
  WarningsFor(config, 2);
  // What core gets is a config that retrykit accepts too, and the same again.
  const auto again = ParseConfig(config.core_json);
  Require(again.ok() && again->core_json == config.core_json);
  Require(CoreDifferences(config, *again).empty());
}

}  // namespace
}  // namespace retrykit

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = retrykit::ParseConfig(text);
  if (config.ok()) {
    retrykit::UseConfig(*config);
  } else {
    retrykit::Require(!config.status().message().empty());
  }
  return 0;
}
