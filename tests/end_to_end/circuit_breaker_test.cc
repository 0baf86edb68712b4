// When the circuit breaker opens, what an open one does, and how it closes.
#include <gmock/gmock.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/retrykit/v1/status_details.pb.h"
#include "tests/end_to_end/circuit_breaker_fixture.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// google.rpc.RetryInfo of a status; zero without one.
absl::Duration RetryInfoOf(const grpc::Status& status) {
  v1::StatusDetails details;
  v1::RetryInfo info;
  if (!details.ParseFromString(status.error_details()) ||
      details.details_size() != 1 ||
      details.details(0).type_url() !=
          "type.googleapis.com/google.rpc.RetryInfo" ||
      !info.ParseFromString(details.details(0).value())) {
    return absl::ZeroDuration();
  }
  return absl::Seconds(info.retry_delay().seconds()) +
         absl::Nanoseconds(info.retry_delay().nanos());
}

TEST_P(CircuitBreakerTest, D01_OpensAtTheThreshold) {
  UseBreaker(R"({"minimumCalls":4,"failureRateThreshold":0.5,
                 "window":"600s","openDuration":"60s"})");
  CallTimes(2, kOk);
  Call(kFails);
  EXPECT_EQ(Opened(), 0);
  Call(kFails);
  EXPECT_EQ(Opened(), 1);
  EXPECT_TRUE(IsRefused(kOk));
}

TEST_P(CircuitBreakerTest, D01_NotOneCallEarlier) {
  UseBreaker(R"({"minimumCalls":4,"failureRateThreshold":0.5,
                 "window":"600s","openDuration":"60s"})");
  CallTimes(3, kFails);
  EXPECT_EQ(Opened(), 0);
  EXPECT_TRUE(Call(kOk).status.ok());
}

TEST_P(CircuitBreakerTest, D02_AnOpenBreakerSendsNothing) {
  for (const bool retries : {true, false}) {
    SCOPED_TRACE(retries ? "with retryPolicy" : "breaker alone");
    TestPolicy policy;
    policy.retries = retries;
    policy.circuit_breaker =
        R"({"consecutiveFailures":1,"openDuration":"60s"})";
    auto toolkit = *Toolkit::Create(*ServiceConfig::FromJson(policy.Json()));
    const auto own_channel = *toolkit->CreateChannel(
        server().address(), grpc::InsecureChannelCredentials());
    server().Script(kFails, {AttemptScript::Fail(StatusCode::INTERNAL)});
    CallEcho(style(), own_channel, RequestFor(kFails));
    const EchoResult refused = CallEcho(style(), own_channel, RequestFor(kOk));
    EXPECT_EQ(refused.status.error_code(), StatusCode::UNAVAILABLE);
    EXPECT_THAT(refused.status.error_message(), HasSubstr("circuit breaker"));
    EXPECT_THAT(refused.status.error_message(),
                HasSubstr("/retrykit.testing.Echo/"));
    EXPECT_THAT(refused.status.error_message(), HasSubstr("open for another"));
    EXPECT_GT(RetryInfoOf(refused.status), absl::Seconds(40));
    EXPECT_LT(RetryInfoOf(refused.status), absl::Seconds(60 * 1.2 * 1.2));
    EXPECT_THAT(Headers(kOk), IsEmpty());
  }
}

TEST_P(CircuitBreakerTest, D02_NoAttemptAndNoChargeAreReported) {
  UseBreaker(R"({"consecutiveFailures":1,"openDuration":"60s"})");
  const auto broken = Call(kFails);
  Expect(broken,
         {StatusCode::INTERNAL, "broken", {"-"}, Reason::kNotRetryable, 0},
         kFails);
  const EchoResult refused = Call(kOk);
  Expect(refused,
         {StatusCode::UNAVAILABLE,
          HasSubstr("circuit breaker"),
          {},
          Reason::kBreaker,
          0},
         kOk);
  EXPECT_EQ(Rejections(), 1);
  EXPECT_EQ(observer().Count(CallEvent::Type::kAttemptStarted), 1);
}

// The three probes are held at the server while the other calls come.
TEST_P(CircuitBreakerTest, D03_ExactlyTheProbesPass) {
  constexpr int kProbes = 3, kCalls = 10;
  UseBreaker(R"({"consecutiveFailures":1,"openDuration":"600s",
                 "maxOpenDuration":"600s","halfOpenProbes":3})");
  Call(kFails);
  clock_.Advance(absl::Seconds(800));
  std::vector<std::unique_ptr<EchoCall>> calls;
  for (int i = 0; i < kCalls; ++i) {
    calls.push_back(NewCall(kHeld));
    calls.back()->Start();
  }
  ASSERT_TRUE(server().log().WaitForAttempts(kHeld, kProbes));
  ASSERT_TRUE(
      observer().WaitFor(CallEvent::Type::kBreakerRejected, kCalls - kProbes));
  EXPECT_EQ(Closed(), 0);
  server().OpenGate("go");
  int succeeded = 0;
  for (const auto& call : calls) {
    if (call->Wait().status.ok()) ++succeeded;
  }
  EXPECT_EQ(succeeded, kProbes);
  EXPECT_EQ(Closed(), 1);
  EXPECT_TRUE(Call(kOk).status.ok());
  ExpectAttempts(kHeld, kProbes);
}

TEST_P(CircuitBreakerTest, D04_ClosesWithAnEmptyWindow) {
  UseBreaker(R"({"minimumCalls":4,"failureRateThreshold":0.5,
                 "window":"6000s","openDuration":"60s",
                 "halfOpenProbes":2})");
  CallTimes(4, kFails);
  ASSERT_EQ(Opened(), 1);
  clock_.Advance(absl::Seconds(80));
  CallTimes(2, kOk);
  EXPECT_EQ(Closed(), 1);
  CallTimes(3, kFails);
  EXPECT_EQ(Opened(), 1);
  Call(kFails);
  EXPECT_EQ(Opened(), 2);
}

// Intervals of 10, 20 and 30 seconds (the most), each +- 20 %.
TEST_P(CircuitBreakerTest, D04_OpenIntervalsGrow) {
  UseBreaker(R"({"consecutiveFailures":1,"openDuration":"10s",
                 "maxOpenDuration":"30s","halfOpenProbes":1})");
  Call(kFails);
  clock_.Advance(absl::Seconds(7));
  EXPECT_TRUE(IsRefused(kOk));
  clock_.Advance(absl::Seconds(6));
  Call(kFails);  // The probe.
  clock_.Advance(absl::Seconds(15));
  EXPECT_TRUE(IsRefused(kOk));
  clock_.Advance(absl::Seconds(10));
  Call(kFails);  // The probe.
  clock_.Advance(absl::Seconds(23));
  EXPECT_TRUE(IsRefused(kOk));
  clock_.Advance(absl::Seconds(14));
  EXPECT_TRUE(Call(kOk).status.ok());
  EXPECT_EQ(Opened(), 3);
  EXPECT_EQ(Closed(), 1);
  ExpectAttempts(kFails, 3);
  ExpectAttempts(kOk, 1);
}

TEST_P(CircuitBreakerTest, D07_OpensForSlowSuccesses) {
  UseBreaker(R"({"minimumCalls":3,"slowCallDuration":"0.02s",
                 "slowCallRateThreshold":1,"openDuration":"600s"})");
  server().Script("slow",
                  {AttemptScript::Ok().AfterDelay(absl::Milliseconds(40))});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Call("slow").status.ok());
  EXPECT_EQ(Opened(), 1);
  EXPECT_TRUE(IsRefused("slow"));
  ExpectAttempts("slow", 3);
}

TEST_P(CircuitBreakerTest, D09_ReportOnly) {
  UseBreaker(R"({"consecutiveFailures":1,"openDuration":"600s",
                 "mode":"REPORT_ONLY"})");
  Call(kFails);
  EXPECT_EQ(Opened(), 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Call(kOk).status.ok());
  EXPECT_EQ(Rejections(), 0);
  EXPECT_EQ(observer().Count(CallEvent::Type::kBreakerWouldRefuse), 3);
  ExpectAttempts(kOk, 3);
}

INSTANTIATE_TEST_SUITE_P(, CircuitBreakerTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
