// What gRPC core gets of a config.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/config/parsing.h"

namespace retrykit {
namespace {

TEST(CorePart, HasWhatCoreDoes) {
  EXPECT_EQ(Parsed(R"({
      "loadBalancingConfig": [ {"nope": {"a": 1.50}}, {"round_robin": {}} ],
      "loadBalancingPolicy": "pick_first",
      "healthCheckConfig": {"serviceName": "x\ny"},
      "somethingNew": [1, {"b": null}]})")
                .core_json,
            R"({"healthCheckConfig":{"serviceName":"x\u000ay"},)"
            R"("loadBalancingConfig":[{"nope":{"a":1.50}},{"round_robin":{}}],)"
            R"("loadBalancingPolicy":"pick_first",)"
            R"("somethingNew":[1,{"b":null}]})");
}

TEST(CorePart, HasNothingThatRetrykitDoes) {
  const auto config = Parsed(absl::StrCat(
      R"({"methodConfig":[{"name":[{}],"timeout":"1s","waitForReady":true,)",
      kRetryPolicy, R"(,"retrykit":{"jitter":"FULL"}}],)", kThrottling,
      R"(,"retrykit":{}})"));
  EXPECT_EQ(config.core_json, "{}");
}

TEST(CorePart, SizesKeepTheirNamesAndShadows) {
  const auto config = Parsed(R"({"methodConfig":[
      {"name":[{},{"service":"a.S"}],"timeout":"1s",
       "maxRequestMessageBytes":1024,"maxResponseMessageBytes":"0"},
      {"name":[{"service":"a.S","method":"M\""}],"waitForReady":true}]})");
  EXPECT_EQ(config.core_json,
            R"({"methodConfig":[{"name":[{},{"service":"a.S"}],)"
            R"("maxRequestMessageBytes":1024,"maxResponseMessageBytes":0},)"
            R"({"name":[{"service":"a.S","method":"M\""}]}]})");
}

TEST(CorePart, DifferencesNameTopLevelKeys) {
  const auto a = Parsed(R"({"loadBalancingPolicy":"round_robin",
      "healthCheckConfig":{"serviceName":"x"},"gone":1})");
  const auto b = Parsed(R"({"healthCheckConfig":{ "serviceName" : "x" },
      "loadBalancingPolicy":"pick_first","methodConfig":[{"name":[{}],
      "maxRequestMessageBytes":5}]})");
  const std::vector<std::string> differences = {"gone", "loadBalancingPolicy",
                                                "methodConfig"};
  EXPECT_EQ(CoreDifferences(a, b), differences);
  EXPECT_EQ(CoreDifferences(b, a), differences);
  EXPECT_TRUE(CoreDifferences(a, a).empty());
}

TEST(CorePart, RetrykitsOwnDifferencesDoNotCount) {
  const auto a = Parsed(OneMethod(R"("timeout":"1s")"));
  const auto b = Parsed(OneMethod(R"("timeout":"2s")"));
  EXPECT_TRUE(CoreDifferences(a, b).empty());
}

}  // namespace
}  // namespace retrykit
