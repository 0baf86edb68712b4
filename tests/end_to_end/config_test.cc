// What becomes of the config's parts: those that core gets, and a reload.
#include <gmock/gmock.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

class ConfigTest : public UnaryEndToEndTest {};

// A server's answer to gRPC's health check: SERVING, for good. The name that
// the config gives is the first field of the check's request, so that the
// scripted server takes it for the call's id.
AttemptScript Healthy() {
  return AttemptScript::Of(
      {ServerAction::Of(ServerAction::Type::kReadMessage),
       ServerAction::Of(ServerAction::Type::kSendBytes, "\x08\x01")});
}

TEST_P(ConfigTest, E04_BalancingAndHealthChecksReachCore) {
  TestPolicy policy;
  policy.top_level =
      R"("loadBalancingConfig":[{"round_robin":{}}],
         "healthCheckConfig":{"serviceName":"health"})";
  Use(policy);
  ScriptedServer other;
  server().Script("health", {Healthy()});
  other.Script("health", {Healthy()});
  const auto both = *toolkit().CreateChannel(
      absl::StrCat("ipv4:", server().address(), ",", other.address()),
      grpc::InsecureChannelCredentials());
  // Until both are connected one of them may get all.
  EXPECT_TRUE(Eventually([&] {
    const EchoResult result = CallEcho(style(), both, RequestFor(kCall));
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    return server().log().Attempts(kCall).size() > 2 &&
           other.log().Attempts(kCall).size() > 2;
  }));
  for (ScriptedServer* checked : {&server(), &other}) {
    const auto checks = checked->log().Attempts("health");
    ASSERT_FALSE(checks.empty());
    EXPECT_EQ(checks[0].method, "/grpc.health.v1.Health/Watch");
  }
}

TEST_P(ConfigTest, E04_WithoutItTheFirstGetsAll) {
  Use(TestPolicy());
  ScriptedServer other;
  const auto both = *toolkit().CreateChannel(
      absl::StrCat("ipv4:", server().address(), ",", other.address()),
      grpc::InsecureChannelCredentials());
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(CallEcho(style(), both, RequestFor(kCall)).status.ok());
  }
  EXPECT_EQ(other.log().total() * server().log().total(), 0);
}

TEST_P(ConfigTest, E04_AnUnknownPolicyFailsAtCreate) {
  TestPolicy policy;
  policy.top_level = R"("loadBalancingConfig":[{"no_such_policy":{}}])";
  const auto config = ServiceConfig::FromJson(policy.Json());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(Toolkit::Create(*config).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(ConfigTest, E05_AnInvalidReloadChangesNothing) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no")});
  TestPolicy broken;
  broken.max_attempts = 1;
  EXPECT_FALSE(ServiceConfig::FromJson(broken.Json()).ok());
  TestPolicy unknown;
  unknown.max_attempts = 2;
  unknown.top_level = R"("loadBalancingConfig":[{"no_such_policy":{}}])";
  EXPECT_FALSE(toolkit().Reload(*ServiceConfig::FromJson(unknown.Json())).ok());
  Expect(Call(), {StatusCode::ABORTED,
                  "no" + Why(Reason::kMaxAttempts, 3),
                  {"-", "1", "2"},
                  Reason::kMaxAttempts,
                  -3});
}

// The call in flight was promised three attempts; new ones get two.
TEST_P(ConfigTest, E05_NewCallsChangeThoseInFlightDoNot) {
  TestPolicy policy;
  policy.SetBackoff("0.3s");
  Use(policy);
  const auto no = AttemptScript::Fail(StatusCode::ABORTED, "no");
  server().Script("in flight", {no.AfterGate("go")});
  server().Script("new", {no});
  auto call = NewCall("in flight");
  call->Start();
  ASSERT_TRUE(server().log().WaitForAttempts("in flight", 1));
  TestPolicy two;
  two.max_attempts = 2;
  ASSERT_TRUE(toolkit().Reload(*ServiceConfig::FromJson(two.Json())).ok());
  server().OpenGate("go");
  EXPECT_EQ(Call("new").status.error_message(),
            "no" + Why(Reason::kMaxAttempts, 2));
  EXPECT_EQ(call->Wait().status.error_message(),
            "no" + Why(Reason::kMaxAttempts, 3));
  ExpectAttempts("in flight", 3);
  ExpectAttempts("new", 2);
}

// Nine of twelve tokens become three of four.
TEST_P(ConfigTest, E05_TheBudgetsFilledShareIsKept) {
  TestPolicy policy;
  policy.throttling = R"({"maxTokens":12,"tokenRatio":1})";
  Use(policy);
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED)});
  Call();
  EXPECT_DOUBLE_EQ(Tokens(), 9);
  policy.throttling = R"({"maxTokens":4,"tokenRatio":1})";
  ASSERT_TRUE(toolkit().Reload(*ServiceConfig::FromJson(policy.Json())).ok());
  EXPECT_DOUBLE_EQ(Tokens(), 3);
}

INSTANTIATE_TEST_SUITE_P(, ConfigTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
