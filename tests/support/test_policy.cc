#include "tests/support/test_policy.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace retrykit {

namespace {

// A JSON object, member by member; what has no value is left out.
class Object {
 public:
  Object& Add(const std::string& key, const std::string& json) {
    if (!json.empty()) members_.push_back(absl::StrCat("\"", key, "\":", json));
    return *this;
  }
  Object& AddText(const std::string& key, const std::string& text) {
    return Add(key, text.empty() ? "" : absl::StrCat("\"", text, "\""));
  }
  Object& AddMembers(const std::string& members) {
    if (!members.empty()) members_.push_back(members);
    return *this;
  }
  // Empty when there are no members.
  std::string Json() const {
    if (members_.empty()) return "";
    return absl::StrCat("{", absl::StrJoin(members_, ","), "}");
  }

 private:
  std::vector<std::string> members_;
};

std::string RetryPolicyOf(const TestPolicy& policy) {
  if (!policy.retries || !policy.hedging_policy.empty()) return "";
  return Object()
      .Add("maxAttempts", absl::StrCat(policy.max_attempts))
      .AddText("initialBackoff", policy.initial_backoff)
      .AddText("maxBackoff", policy.max_backoff)
      .Add("backoffMultiplier", absl::StrCat(policy.backoff_multiplier))
      .Add("retryableStatusCodes", policy.retryable_codes)
      .Json();
}

std::string OwnOptionsOf(const TestPolicy& policy) {
  return Object()
      .AddText("jitter", RetryPolicyOf(policy).empty() ? "" : policy.jitter)
      .AddText("perAttemptTimeout", policy.per_attempt_timeout)
      .Add("circuitBreaker", policy.circuit_breaker)
      .AddMembers(policy.more)
      .Json();
}

}  // namespace

void TestPolicy::Hedge(const std::string& delay) {
  hedging_policy = Object()
                       .Add("maxAttempts", absl::StrCat(max_attempts))
                       .AddText("hedgingDelay", delay)
                       .Add("nonFatalStatusCodes", R"(["UNAVAILABLE"])")
                       .Json();
}

std::string TestPolicy::MethodConfig() const {
  return Object()
      .Add("name", name)
      .AddText("timeout", timeout)
      .Add("waitForReady", wait_for_ready)
      .Add("retryPolicy", RetryPolicyOf(*this))
      .Add("hedgingPolicy", hedging_policy)
      .Add("retrykit", OwnOptionsOf(*this))
      .Json();
}

std::string TestPolicy::Json() const {
  std::string entries = MethodConfig();
  if (!more_method_configs.empty()) {
    absl::StrAppend(&entries, ",", more_method_configs);
  }
  return Object()
      .Add("methodConfig", absl::StrCat("[", entries, "]"))
      .Add("retryThrottling", throttling)
      .AddMembers(top_level)
      .Json();
}

}  // namespace retrykit
