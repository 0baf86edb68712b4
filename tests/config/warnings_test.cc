// What is allowed and probably not meant: a sentence each, and silence one
// step beside it.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/config/parsing.h"

namespace retrykit {
namespace {

using Warnings = std::vector<std::string>;

// The warnings of one entry for all methods, beside a sound throttling.
Warnings WarningsOf(const std::string& members) {
  return Parsed(absl::StrCat(R"({"methodConfig":[{"name":[{}],)", members,
                             "}],", kThrottling, "}"))
      .warnings;
}

// kRetryPolicy and the top of `options`, with replacements.
std::string Retry(
    std::initializer_list<std::pair<absl::string_view, absl::string_view>>
        replacements) {
  return absl::StrReplaceAll(kRetryPolicy, replacements);
}

TEST(Warnings, NoneForASoundPolicy) {
  EXPECT_EQ(WarningsOf(Retry({})), Warnings());
}

TEST(Warnings, ClampBeginsAboveTheLimit) {
  const std::string five = Retry({{"\"maxAttempts\":3", "\"maxAttempts\":5"}});
  const std::string six = Retry({{"\"maxAttempts\":3", "\"maxAttempts\":6"}});
  EXPECT_EQ(WarningsOf(five), Warnings());
  EXPECT_EQ(
      WarningsOf(six),
      Warnings({"methodConfig[0].retryPolicy.maxAttempts: 6 is clamped to 5"}));
}

TEST(Warnings, ClampFollowsTheLimit) {
  const auto config =
      Parsed(OneMethod(R"("hedgingPolicy":{"maxAttempts":4},)"
                       R"("retrykit":{"idempotencyKey":{"header":"key"}})"));
  EXPECT_EQ(config.warnings, Warnings());
  const Warnings clamps = {
      "methodConfig[0].hedgingPolicy.maxAttempts: 4 is clamped to 3"};
  EXPECT_EQ(ClampWarnings(config, 3), clamps);
  EXPECT_EQ(WarningsFor(config, 3), clamps);
  EXPECT_EQ(ClampWarnings(config, 4), Warnings());
}

TEST(Warnings, TimeoutShorterThanTheFirstBackoff) {
  EXPECT_EQ(WarningsOf(Retry({}) + R"(,"timeout":"0.1s")"), Warnings());
  EXPECT_EQ(WarningsOf(Retry({}) + R"(,"timeout":"0.099s")"),
            Warnings({"methodConfig[0].timeout: 0.099s is shorter than the "
                      "first backoff (0.1s): no retry can happen"}));
}

TEST(Warnings, TooFewTokens) {
  const auto of = [](const char* tokens) {
    return Parsed(absl::StrCat(R"({"retryThrottling":{"maxTokens":)", tokens,
                               R"(,"tokenRatio":0.1}})"))
        .warnings;
  };
  EXPECT_EQ(of("3"), Warnings());
  EXPECT_EQ(of("2"), Warnings({"retryThrottling.maxTokens: at 2 or less no "
                               "retry can ever happen"}));
}

TEST(Warnings, RetriesWithoutThrottling) {
  EXPECT_EQ(Parsed(OneMethod(kRetryPolicy)).warnings,
            Warnings({"retryThrottling: not present: nothing limits retries "
                      "during an outage"}));
  EXPECT_EQ(Parsed(OneMethod(R"("timeout":"1s")")).warnings, Warnings());
}

TEST(Warnings, CountWindowSmallerThanMinimumCalls) {
  const auto of = [](const char* calls) {
    return WarningsOf(absl::StrCat(R"("retrykit":{"circuitBreaker":{)",
                                   R"("windowCalls":)", calls, "}}"));
  };
  EXPECT_EQ(of("20"), Warnings());
  EXPECT_EQ(of("19"),
            Warnings({"methodConfig[0].retrykit.circuitBreaker.windowCalls: 19 "
                      "is smaller than minimumCalls (20): no rate can open "
                      "it"}));
}

TEST(Warnings, HedgingDelayNotBelowTheTimeout) {
  const auto of = [](const char* timeout) {
    return WarningsOf(absl::StrCat(
        R"("timeout":")", timeout,
        R"(","hedgingPolicy":{"maxAttempts":2,"hedgingDelay":"1s"},)",
        R"("retrykit":{"idempotencyKey":{"header":"key"}})"));
  };
  EXPECT_EQ(of("1.001s"), Warnings());
  EXPECT_EQ(of("1s"),
            Warnings({"methodConfig[0].hedgingPolicy.hedgingDelay: 1s is not "
                      "shorter than timeout (1s): no hedge can be sent by "
                      "it"}));
}

TEST(Warnings, WaitForReadyUnderAPerAttemptTimeout) {
  EXPECT_EQ(WarningsOf(R"("waitForReady":true,
                          "retrykit":{"perAttemptTimeout":"1s"})"),
            Warnings({"methodConfig[0].waitForReady: waiting for a connection "
                      "counts towards perAttemptTimeout"}));
  EXPECT_EQ(WarningsOf(R"("waitForReady":false,
                          "retrykit":{"perAttemptTimeout":"1s"})"),
            Warnings());
}

TEST(Warnings, BackoffsThatEndBeforeReconnecting) {
  // Three attempts, at most 10 ms and then 40 ms: one tick below 50 ms.
  const std::string longer =
      Retry({{"\"0.1s\"", "\"0.01s\""}}) + R"(,"retrykit":{"jitter":"NONE"})";
  EXPECT_EQ(WarningsOf(longer),
            Warnings({"methodConfig[0].retryPolicy: all backoffs together end "
                      "after 0.03s, before a lost connection is tried again "
                      "(0.05s)"}));
  const std::string decorrelated =
      Retry({{"\"0.1s\"", "\"0.01s\""}});  // 40 ms, then 160 ms at most.
  EXPECT_EQ(WarningsOf(decorrelated), Warnings());
  const std::string aborted =
      absl::StrReplaceAll(longer, {{"UNAVAILABLE", "ABORTED"}});
  EXPECT_EQ(WarningsOf(aborted), Warnings());
}

TEST(Warnings, ReconnectingFollowsTheSmallestBackoffOfAll) {
  const auto config = Parsed(
      absl::StrCat(R"({"methodConfig":[{"name":[{}],)", kRetryPolicy,
                   R"(,"retrykit":{"jitter":"NONE"}}],)", kThrottling, "}"));
  EXPECT_EQ(config.warnings, Warnings());  // 0.3s against 0.1s.
}

TEST(Warnings, RepeatsWithoutAnIdempotencyKey) {
  const std::string hedged = R"("hedgingPolicy":{"maxAttempts":2})";
  EXPECT_EQ(WarningsOf(hedged),
            Warnings({"methodConfig[0]: hedging without idempotencyKey: the "
                      "server may carry out a call twice"}));
  const std::string limited =
      Retry({}) + R"(,"retrykit":{"perAttemptTimeout":"1s"})";
  EXPECT_EQ(WarningsOf(limited),
            Warnings({"methodConfig[0]: perAttemptTimeout without "
                      "idempotencyKey: the server may carry out a call "
                      "twice"}));
  EXPECT_EQ(WarningsOf(R"("retrykit":{"perAttemptTimeout":"1s"})"), Warnings());
}

TEST(Warnings, UnknownTopLevelKeysPass) {
  const auto config = Parsed(R"({"connectionScaling":{"x":1}})");
  EXPECT_EQ(config.warnings,
            Warnings({"connectionScaling: not known to retrykit, handed on to "
                      "gRPC core"}));
  EXPECT_EQ(config.core_json, R"({"connectionScaling":{"x":1}})");
}

TEST(Warnings, EndlessBackoffsAreSummedInNoTime) {
  const auto config = Parsed(OneMethod(
      Retry({{"\"maxAttempts\":3", "\"maxAttempts\":2147483647"},
             {"\"backoffMultiplier\":2", "\"backoffMultiplier\":1e308"}})));
  EXPECT_EQ(WarningsFor(config, 2147483647).size(), 1u);
}

}  // namespace
}  // namespace retrykit
