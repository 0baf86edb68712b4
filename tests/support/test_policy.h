// The JSON of a policy, written from its parts. The defaults are those of the
// conformance list: three attempts, ABORTED is retried, 20 ms, doubled, at most
// 200 ms, no jitter, and a budget too large to matter.
//
//   TestPolicy policy;
//   policy.initial_backoff = "10s";
//   policy.max_backoff = "10s";
//   ServiceConfig::FromJson(policy.Json());
//
// Thread-safety: a plain value.
#ifndef TESTS_SUPPORT_TEST_POLICY_H_
#define TESTS_SUPPORT_TEST_POLICY_H_

#include <string>

namespace retrykit {

// The methods that a policy is for, as the JSON of `name`.
inline constexpr char kEchoService[] =
    R"([{"service":"retrykit.testing.Echo"}])";

// Texts are JSON: durations as "0.02s", lists and objects as they stand there.
// An empty text leaves its key out.
struct TestPolicy {
  std::string name = kEchoService;

  bool retries = true;  // Whether there is a retryPolicy.
  int max_attempts = 3;
  std::string retryable_codes = R"(["ABORTED"])";
  std::string initial_backoff = "0.02s";
  std::string max_backoff = "0.2s";
  double backoff_multiplier = 2;

  std::string hedging_policy;  // An object, in the place of the retryPolicy.

  std::string timeout;
  std::string wait_for_ready;  // "true" or "false"

  std::string per_attempt_timeout;
  std::string jitter = "NONE";
  std::string circuit_breaker;  // An object.
  std::string more;             // Other members of `retrykit`: "\"key\":value"

  std::string throttling = R"({"maxTokens":1000,"tokenRatio":1})";
  std::string top_level;  // Other members of the whole: "\"key\":value"
  std::string more_method_configs;  // Further entries: "{...}"

  // A single backoff of this size, before every retry.
  void SetBackoff(const std::string& duration) {
    initial_backoff = max_backoff = duration;
  }
  // Hedged as the conformance list says: three attempts, 50 ms apart,
  // UNAVAILABLE is not fatal.
  void Hedge(const std::string& delay = "0.05s");
  // One methodConfig entry.
  std::string MethodConfig() const;
  // The whole file.
  std::string Json() const;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_TEST_POLICY_H_
