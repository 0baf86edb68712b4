// What the tests of the config room say again and again.
#ifndef RETRYKIT_TESTS_CONFIG_PARSING_H_
#define RETRYKIT_TESTS_CONFIG_PARSING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/config/config.h"

namespace retrykit {

// The error's text; "" where the config is accepted.
inline std::string ErrorOf(absl::string_view json) {
  const auto config = ParseConfig(json);
  return config.ok() ? "" : std::string(config.status().message());
}

// A config that must be valid.
inline ParsedConfig Parsed(absl::string_view json) {
  auto config = ParseConfig(json);
  EXPECT_TRUE(config.ok()) << config.status();
  if (config.ok()) return *std::move(config);
  ParsedConfig none;
  none.table = std::make_shared<const PolicyTable>();
  return none;
}

// ErrorOf's text with these "field:PATH error:TEXT" parts.
inline std::string Errors(absl::string_view parts) {
  return absl::StrCat("errors validating service config: [", parts, "]");
}

// A file with one entry for all methods and these members.
inline std::string OneMethod(absl::string_view members) {
  return absl::StrCat(R"({"methodConfig":[{"name":[{}],)", members, "}]}");
}

// A sound retryPolicy, as a member.
constexpr absl::string_view kRetryPolicy =
    R"("retryPolicy":{"maxAttempts":3,"initialBackoff":"0.1s",)"
    R"("maxBackoff":"1s","backoffMultiplier":2,)"
    R"("retryableStatusCodes":["UNAVAILABLE"]})";

// A sound retryThrottling, as a member.
constexpr absl::string_view kThrottling =
    R"("retryThrottling":{"maxTokens":10,"tokenRatio":0.1})";

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_CONFIG_PARSING_H_
