#include "cli/simulator/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace retrykit {
namespace cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> MistakesOf(const std::string& text) {
  ConfigErrors errors;
  ReadScenario(text, errors);
  std::vector<std::string> mistakes;
  for (const ConfigMistake& mistake : errors.ToList())
    mistakes.push_back(absl::StrCat(mistake.path, ": ", mistake.text));
  return mistakes;
}

TEST(ScenarioTest, TheDefaultIsWhatItsTextSays) {
  ConfigErrors errors;
  const Scenario read =
      ReadScenario(std::string(DefaultScenarioText()), errors);
  EXPECT_TRUE(errors.ok()) << errors.ToStatus();
  const Scenario plain;
  EXPECT_EQ(read.duration, plain.duration);
  EXPECT_EQ(read.clients, plain.clients);
  EXPECT_EQ(read.rate, plain.rate);
  EXPECT_EQ(read.capacity, plain.capacity);
  EXPECT_EQ(read.queue, plain.queue);
  EXPECT_EQ(read.service_time, plain.service_time);
  EXPECT_EQ(read.network_delay, plain.network_delay);
  ASSERT_EQ(read.phases.size(), 1u);
  EXPECT_EQ(read.phases[0].to, absl::Seconds(30));
}

TEST(ScenarioTest, EveryFieldIsRead) {
  ConfigErrors errors;
  const Scenario read = ReadScenario(R"({
    "duration": "5s", "method": "/a.B/C", "callDeadline": "0.3s",
    "clients": {"count": 3, "loop": "closed", "arrivals": "constant",
                "concurrency": 7, "thinkTime": "0.01s"},
    "server": {"capacity": 2, "queue": 0, "serviceTime": "0.5s",
               "serviceTimes": "constant", "networkDelay": "0s",
               "overloadCode": "RESOURCE_EXHAUSTED"},
    "phases": [
      {"kind": "slow", "from": "2s", "to": "3s", "factor": 4},
      {"kind": "hang", "from": "1s", "share": 0.25},
      {"from": "0s", "to": "1s", "code": "INTERNAL"}]})",
                                     errors);
  EXPECT_TRUE(errors.ok()) << errors.ToStatus();
  EXPECT_EQ(read.method, "/a.B/C");
  EXPECT_EQ(read.call_deadline, absl::Milliseconds(300));
  EXPECT_FALSE(read.open_loop);
  EXPECT_FALSE(read.poisson);
  EXPECT_EQ(read.concurrency, 7);
  EXPECT_EQ(read.think_time, absl::Milliseconds(10));
  EXPECT_FALSE(read.exponential_service);
  EXPECT_EQ(read.queue, 0);
  EXPECT_EQ(read.overload_code, absl::StatusCode::kResourceExhausted);
  ASSERT_EQ(read.phases.size(), 3u);
  EXPECT_EQ(read.phases[0].code, absl::StatusCode::kInternal);
  EXPECT_EQ(read.phases[1].kind, Phase::Kind::kHang);
  EXPECT_EQ(read.phases[1].to, absl::Seconds(5));
  EXPECT_EQ(read.phases[1].share, 0.25);
  EXPECT_EQ(read.phases[2].factor, 4);
}

TEST(ScenarioTest, AllMistakesAreTold) {
  EXPECT_THAT(
      MistakesOf(R"({"duration": "60", "clients": {"loop": "closed", "rate": 5,
        "thinkTime": "0s"}, "server": {"queu": 3, "capacity": 1.5},
        "phases": [{"kind": "outag", "from": "2s", "to": "1s"}, 5],
        "method": "a.B/C"})"),
      ElementsAre(
          "clients.rate: is for open loops only",
          "clients.thinkTime: must be from \"0.001s\" to \"86400s\"",
          "duration: Not a duration (no s suffix), did you mean \"60s\"?",
          "method: is not written /pkg.Service/Method",
          "phases[0].kind: must be one of outage, hang, slow, did you mean "
          "outage?",
          "phases[0].to: must be after from", "phases[1]: is not an object",
          "server.capacity: must be a whole number from 1 to 100000",
          "server.queu: unknown field, did you mean queue?"));
}

TEST(ScenarioTest, TypesAreStrict) {
  EXPECT_THAT(MistakesOf("[]"), ElementsAre(": is not an object"));
  EXPECT_THAT(MistakesOf(R"({"clients": {"rate": "5"}})"),
              ElementsAre("clients.rate: is not a number"));
  EXPECT_THAT(MistakesOf(R"({"duration": 5})"),
              ElementsAre("duration: is not a duration such as \"1.5s\""));
  EXPECT_THAT(MistakesOf(R"({"phases": {}})"),
              ElementsAre("phases: is not a list"));
  EXPECT_THAT(
      MistakesOf("{,}"),
      ElementsAre(testing::StartsWith(": JSON parsing failed: line 1")));
  EXPECT_THAT(MistakesOf(R"({"clients": null})"), IsEmpty());
}

TEST(ScenarioTest, WhatCannotBeSimulatedSaysWhy) {
  EXPECT_THAT(
      MistakesOf(R"({"duration": "3600s", "clients": {"rate": 100000}})"),
      ElementsAre(": cannot be simulated: up to 360000000 calls, more than "
                  "20000000"));
  EXPECT_THAT(
      MistakesOf(R"({"duration": "3600s", "clients": {"loop": "closed",
                  "count": 1000, "thinkTime": "0.001s"}})"),
      ElementsAre(": cannot be simulated: up to 14400000000 calls, more than "
                  "20000000"));
  EXPECT_THAT(
      MistakesOf(R"({"phases": [{"from": "60s", "to": "70s"}]})"),
      ElementsAre("phases[0].from: must be before the scenario's duration"));
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
