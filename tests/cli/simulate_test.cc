#include "cli/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "tests/cli/fake_world.h"

namespace retrykit {
namespace cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kRetries[] = R"({"methodConfig": [{"name": [{}],
  "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.05s",
    "maxBackoff": "1s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]})";

class SimulateTest : public ::testing::Test {
 protected:
  SimulateTest() {
    world_.files["none.json"] = "{}";
    world_.files["retries.json"] = kRetries;
    world_.files["short.json"] = R"({"duration": "2s",
        "phases": [{"from": "0.5s", "to": "1s"}]})";
  }

  int Run(std::vector<std::string> words) {
    world_.out.clear();
    world_.err.clear();
    words.insert(words.begin(), "simulate");
    return RunCommand(words, world_);
  }

  FakeWorld world_;
};

TEST_F(SimulateTest, FilesSideBySide) {
  EXPECT_EQ(Run({"--scenario=short.json", "none.json", "retries.json"}), 0);
  EXPECT_THAT(world_.out, HasSubstr("\nnone.json     "));
  EXPECT_THAT(world_.out, HasSubstr("\nretries.json  "));
  EXPECT_EQ(world_.err, "");
  const std::string first = world_.out;
  EXPECT_EQ(Run({"--scenario=short.json", "none.json", "retries.json"}), 0);
  EXPECT_EQ(world_.out, first);
  EXPECT_EQ(
      Run({"--seed=2", "--scenario=short.json", "none.json", "retries.json"}),
      0);
  EXPECT_NE(world_.out, first);
}

TEST_F(SimulateTest, JittersOfOneFile) {
  EXPECT_EQ(
      Run({"--scenario=short.json", "--jitters=FULL,NONE", "retries.json"}), 0);
  EXPECT_THAT(world_.out, HasSubstr("\nretries.json FULL "));
  EXPECT_THAT(world_.out, HasSubstr("\nretries.json NONE "));
  EXPECT_EQ(Run({"--jitters=HALF", "retries.json"}), 2);
  EXPECT_THAT(world_.err,
              StartsWith("retrykit simulate: --jitters: no jitter HALF\n"));
  EXPECT_EQ(Run({"--jitters=FULL", "none.json"}), 2);
  EXPECT_THAT(world_.err, StartsWith("retrykit simulate: --jitters: none.json "
                                     "does not retry the scenario's method\n"));
}

TEST_F(SimulateTest, WritesAPicture) {
  EXPECT_EQ(Run({"--scenario=short.json", "--svg=a.svg", "none.json"}), 0);
  EXPECT_THAT(world_.files["a.svg"], StartsWith("<svg "));
  world_.read_only = true;
  EXPECT_EQ(Run({"--scenario=short.json", "--svg=a.svg", "none.json"}), 2);
  EXPECT_EQ(world_.err, "retrykit: cannot write a.svg\n");
}

TEST_F(SimulateTest, ABadScenarioSaysWhy) {
  world_.files["bad.json"] =
      "{\n  \"phases\": [{\"kind\": \"outag\"}],\n"
      "  \"duration\": \"1m\"\n}";
  EXPECT_EQ(Run({"--scenario=bad.json", "none.json"}), 1);
  EXPECT_EQ(
      world_.err,
      "bad.json:2:15: error: phases[0].kind: must be one of outage, hang, "
      "slow, did you mean outage?\n"
      "bad.json:3:3: error: duration: Not a duration (no s suffix), did "
      "you mean \"60s\"?\n"
      "bad.json: 2 errors\n");
  world_.files["bad.json"] = "{";
  EXPECT_EQ(Run({"--scenario=bad.json", "none.json"}), 1);
  EXPECT_THAT(world_.err, StartsWith("bad.json: error: JSON parsing failed: "));
  EXPECT_EQ(Run({"--scenario=gone.json", "none.json"}), 2);
}

TEST_F(SimulateTest, ABadConfigSaysWhy) {
  world_.files["bad.json"] = "{\"a\": 1,}";
  EXPECT_EQ(Run({"none.json", "bad.json"}), 1);
  EXPECT_EQ(world_.err,
            "bad.json:1:9: error: trailing comma\nbad.json: 1 error\n");
  EXPECT_EQ(Run({"bad.json", "gone.json"}), 2);
  EXPECT_EQ(world_.out, "");
}

TEST_F(SimulateTest, AProgressBarOnATerminalOnly) {
  world_.terminal = true;
  EXPECT_EQ(Run({"--scenario=short.json", "none.json"}), 0);
  EXPECT_THAT(world_.err, HasSubstr("\r[############.............] 50 %"));
  EXPECT_THAT(world_.err, testing::EndsWith("100 %\r\033[K"));
}

TEST_F(SimulateTest, TheScenarioToBeginWith) {
  EXPECT_EQ(Run({"--print-scenario"}), 0);
  world_.files["printed.json"] = world_.out;
  EXPECT_EQ(Run({"--scenario=printed.json", "none.json"}), 0);
  const std::string printed = world_.out;
  EXPECT_EQ(Run({"none.json"}), 0);
  EXPECT_EQ(world_.out, printed);
}

TEST_F(SimulateTest, TheArticlesExperiment) {
  EXPECT_EQ(Run({"--aws", "--clients=10", "--runs=3"}), 0);
  EXPECT_THAT(world_.out, StartsWith("10 clients, one row, optimistic "
                                     "concurrency; mean of 3 runs\n"));
  EXPECT_EQ(Run({"--aws", "--runs=0"}), 2);
  EXPECT_THAT(world_.err, StartsWith("retrykit simulate: --runs: must be a "
                                     "whole number from 1 to 10000\n"));
}

TEST_F(SimulateTest, WrongUsage) {
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(Run({"--seed=-1", "none.json"}), 2);
  EXPECT_EQ(Run({"--speed=1", "none.json"}), 2);
  EXPECT_EQ(world_.out, "");
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
