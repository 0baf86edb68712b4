#include "cli/explain.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "tests/cli/fake_world.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kConfig[] = R"({
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
  "methodConfig": [
    {"name": [{"service": "shop.Cart", "method": "List"}],
     "timeout": "2s",
     "retryPolicy": {"maxAttempts": 9, "initialBackoff": "0.1s",
       "maxBackoff": "0.5s", "backoffMultiplier": 2,
       "retryableStatusCodes": ["UNAVAILABLE"]},
     "retrykit": {"jitter": "FULL", "perAttemptTimeout": "0.5s",
       "circuitBreaker": {"consecutiveFailures": 5, "mode": "REPORT_ONLY"}}},
    {"name": [{"service": "shop.Cart", "method": "Get"}],
     "timeout": "0.3s",
     "hedgingPolicy": {"maxAttempts": 3, "hedgingDelay": "0.05s",
       "nonFatalStatusCodes": ["UNAVAILABLE"]},
     "retrykit": {"idempotencyKey": {"header": "key"}}},
    {"name": [{"service": "shop.Cart", "method": "Ping"}]},
    {"name": [{}], "timeout": "5s", "waitForReady": true}
  ]
})";

class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() { world_.files["a.json"] = kConfig; }

  int Run(std::vector<std::string> words) {
    world_.out.clear();
    world_.err.clear();
    words.insert(words.begin(), "explain");
    return RunCommand(words, world_);
  }

  FakeWorld world_;
};

TEST_F(ExplainTest, Retries) {
  EXPECT_EQ(Run({"a.json", "/shop.Cart/List"}), 0);
  EXPECT_EQ(world_.out,
            R"(/shop.Cart/List
  attempts   at worst 5 per call.
  retries    up to 4 retries after UNAVAILABLE or an attempt's own timeout.
             maxAttempts 9 is clamped to 5.
  jitter     FULL from 100ms, at most 500ms, multiplier 2.
  waits                       min    median       p95       max
             retry 1            0      50ms      95ms     100ms
             retry 2            0     100ms     190ms     200ms
             retry 3            0     200ms     380ms     400ms
             retry 4            0     250ms     475ms     500ms
  time       all waits together: 600ms as a rule, at most 1.2s.
             an attempt ends after 500ms (a stream's: unless a message has come).
             a failing call ends by its timeout of 2s at the latest (without it after 3.7s).
  budget     10 tokens, 0.1 back for each success.
             retries stop when more than 9.1 % of attempts keep failing.
             from a full bucket 4 retries if nothing succeeds; 51 successes bring an empty one back.
  breaker    opens when 50.0 % of at least 20 attempts within 10s have failed, or 5 in a row have failed.
             failures are UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, DATA_LOSS.
             open, it refuses calls for 5s +-20 %, each time 2 times as long while probes fail, at most 1m.
             then 3 probes pass at a time; 3 successes close it, one failure opens it again.
             report only: it refuses nothing.
  nested     calls made for an inbound retry are not retried themselves.
)");
}

TEST_F(ExplainTest, Hedging) {
  EXPECT_EQ(Run({"a.json", "/shop.Cart/Get"}), 0);
  EXPECT_EQ(world_.out,
            R"(/shop.Cart/Get
  attempts   at worst 3 per call.
  hedging    up to 2 hedges, one after each 50ms.
             the next one at once after UNAVAILABLE; any other failure ends the call.
  time       a failing call ends by its timeout of 300ms at the latest.
  budget     10 tokens, 0.1 back for each success.
             hedges stop when more than 9.1 % of attempts keep failing.
             from a full bucket 4 hedges if nothing succeeds; 51 successes bring an empty one back.
  key        a random one for each call in key, the same on all its attempts.
)");
}

TEST_F(ExplainTest, WithoutRetries) {
  EXPECT_EQ(Run({"a.json", "/shop.Cart/Ping"}), 0);
  EXPECT_EQ(world_.out,
            "/shop.Cart/Ping\n"
            "  its entry has no policy: calls are passed through.\n");
  EXPECT_EQ(Run({"a.json", "/other.Service/Method"}), 0);
  EXPECT_EQ(world_.out,
            "/other.Service/Method\n"
            "  attempts   1: nothing is sent twice.\n"
            "  time       a failing call ends by its timeout of 5s at the "
            "latest.\n"
            "  connection calls wait for one.\n");
}

TEST_F(ExplainTest, NoEntryAtAll) {
  world_.files["none.json"] = "{}";
  EXPECT_EQ(Run({"none.json"}), 0);
  EXPECT_EQ(world_.out, "no entry: all calls are passed through.\n");
  EXPECT_EQ(Run({"none.json", "/a.B/C"}), 0);
  EXPECT_EQ(world_.out,
            "/a.B/C\n  no entry names it: its calls are passed through.\n");
}

TEST_F(ExplainTest, AllEntriesInTheFilesOrder) {
  EXPECT_EQ(Run({"a.json"}), 0);
  const size_t list = world_.out.find("/shop.Cart/List\n");
  const size_t get = world_.out.find("\n\n/shop.Cart/Get\n");
  const size_t others = world_.out.find("\n\ndefault\n");
  EXPECT_EQ(list, 0u);
  EXPECT_LT(get, others);
  EXPECT_NE(others, std::string::npos);
}

TEST_F(ExplainTest, Json) {
  EXPECT_EQ(Run({"--json", "a.json"}), 0);
  const auto json = nlohmann::json::parse(world_.out, nullptr, false);
  ASSERT_EQ(json["policies"].size(), 4u) << world_.out;
  const auto& list = json["policies"][0];
  EXPECT_EQ(list["attempts_at_worst"], 5);
  EXPECT_EQ(list["retry"]["delays"][3]["p95_seconds"], 0.475);
  EXPECT_EQ(list["retry"]["longest_wait_seconds"], 1.2);
  EXPECT_EQ(list["longest_failure_seconds"], 2);
  EXPECT_EQ(list["budget"]["from_a_full_bucket"], 4);
  EXPECT_EQ(json["policies"][1]["idempotency_key_header"], "key");
  EXPECT_EQ(json["policies"][2]["passed_through"], true);
  EXPECT_TRUE(json["policies"][3]["budget"].is_null());
}

TEST_F(ExplainTest, TheSameEveryTime) {
  world_.files["b.json"] =
      R"({"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4,
        "initialBackoff": "0.1s", "maxBackoff": "3s", "backoffMultiplier": 1.5,
        "retryableStatusCodes": ["ABORTED"]}}]})";
  EXPECT_EQ(Run({"b.json"}), 0);
  const std::string first = world_.out;
  EXPECT_EQ(Run({"b.json"}), 0);
  EXPECT_EQ(world_.out, first);
  EXPECT_NE(first.find("budget     none: nothing limits them during an outage"),
            std::string::npos);
  EXPECT_NE(first.find("no limit to a failing call but the deadline that the "
                       "caller sets."),
            std::string::npos);
}

TEST_F(ExplainTest, WhatCannotBeExplained) {
  world_.files["bad.json"] = "{\"a\": 1,}";
  EXPECT_EQ(Run({"bad.json"}), 1);
  EXPECT_EQ(world_.err,
            "bad.json:1:9: error: trailing comma\nbad.json: 1 error\n");
  EXPECT_EQ(Run({"none.json"}), 2);
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(Run({"a.json", "shop.Cart/List"}), 2);
  EXPECT_EQ(world_.err,
            "retrykit explain: shop.Cart/List: a method is written "
            "/pkg.Service/Method\nTry \"retrykit help explain\".\n");
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
