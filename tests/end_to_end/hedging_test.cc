// Hedging of unary calls: attempts beside live ones, the first answer wins.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

AttemptScript Unavailable() {
  return AttemptScript::Fail(StatusCode::UNAVAILABLE, "no");
}

class HedgingTest : public UnaryEndToEndTest {
 protected:
  void UseHedging(const std::string& delay = "0.05s") {
    TestPolicy policy;
    policy.Hedge(delay);
    Use(policy);
  }

  // From the first attempt's arrival at the server to another one's.
  absl::Duration After(int attempt) {
    const auto seen = server().log().Attempts(kCall);
    return seen.at(static_cast<size_t>(attempt - 1)).arrived -
           seen.at(0).arrived;
  }
  // The reasons for which hedges were not sent.
  std::vector<Reason> Suppressed() {
    std::vector<Reason> reasons;
    for (const auto& event :
         observer().Events(CallEvent::Type::kRetrySuppressed)) {
      reasons.push_back(event.reason);
    }
    return reasons;
  }
};

TEST_P(HedgingTest, C01_TheFirstIsSilentTheSecondAnswers) {
  UseHedging();
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Ok("two")});
  const EchoResult result = Call();
  Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_EQ(result.response.message(), "two");
  EXPECT_GE(result.duration, absl::Milliseconds(50));
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
}

TEST_P(HedgingTest, C02_AllSilentThenTheThirdAnswers) {
  UseHedging();
  server().Script(kCall, {AttemptScript::Ok("one").AfterGate("late"),
                          AttemptScript::Ok("two").AfterGate("late"),
                          AttemptScript::Ok("three")});
  const EchoResult result = Call();
  server().OpenGate("late");
  Expect(result, {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, 0});
  EXPECT_EQ(result.response.message(), "three");
  EXPECT_EQ(result.completions, 1);
}

TEST_P(HedgingTest, C03_ANonFatalFailureSendsTheNextAtOnce) {
  UseHedging("10s");
  server().Script(kCall, {Unavailable(), AttemptScript::Ok("two")});
  const EchoResult result = Call();
  Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_LT(result.duration, absl::Seconds(10));
}

TEST_P(HedgingTest, C04_AFatalFailureCancelsTheOthers) {
  UseHedging();
  server().Script(kCall, {AttemptScript::Silent(),
                          AttemptScript::Fail(StatusCode::INTERNAL, "broken")});
  Expect(
      Call(),
      {StatusCode::INTERNAL, "broken", {"-", "1"}, Reason::kNotRetryable, 0});
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
}

TEST_P(HedgingTest, C05_AllFail) {
  UseHedging();
  server().Script(kCall, {Unavailable()});
  Expect(Call(), {StatusCode::UNAVAILABLE,
                  "no" + Why(Reason::kMaxAttempts, 3),
                  {"-", "1", "2"},
                  Reason::kMaxAttempts,
                  -3});
}

TEST_P(HedgingTest, C06_PushbackStopsNewHedgesAndLiveOnesGoOn) {
  TestPolicy policy;
  policy.max_attempts = 4;
  policy.Hedge();
  Use(policy);
  server().Script(kCall, {Unavailable().WithPushback("-1").AfterGate("pushed"),
                          AttemptScript::Ok("two").AfterGate("late")});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
  server().OpenGate("pushed");
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kAttemptEnded));
  const size_t sent = server().log().Attempts(kCall).size();
  server().OpenGate("late");
  const EchoResult result = call->Wait();
  EXPECT_TRUE(result.status.ok());
  EXPECT_THAT(Suppressed(), Contains(Reason::kPushback));
  EXPECT_THAT(server().log().Attempts(kCall), SizeIs(sent));
  ExpectAttempts(kCall, static_cast<int>(sent));
}

TEST_P(HedgingTest, C07_PushbackDelaysTheNextHedge) {
  UseHedging("0.01s");
  server().Script(
      kCall, {Unavailable().WithPushback("120"), AttemptScript::Ok("two")});
  Expect(Call(), {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_GE(After(2), absl::Milliseconds(110));
}

TEST_P(HedgingTest, C08_AnExhaustedBudgetDropsHedges) {
  TestPolicy policy;
  policy.Hedge("0.2s");
  policy.throttling = R"({"maxTokens":2,"tokenRatio":0.5})";
  Use(policy);
  server().Script(
      "first",
      {AttemptScript::Fail(StatusCode::UNAVAILABLE, "no").WithPushback("-1")});
  Expect(Call("first"),
         {StatusCode::UNAVAILABLE,
          "no" + Why(Reason::kPushback, 1),
          {"-"},
          Reason::kPushback,
          -1},
         "first");
  server().Script(kCall, {AttemptScript::Ok("one").AfterGate("go")});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetrySuppressed, 2));
  server().OpenGate("go");
  Expect(call->Wait(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0.5});
  EXPECT_THAT(Suppressed(), ElementsAre(Reason::kPushback, Reason::kBudget));
}

TEST_P(HedgingTest, C11_WithoutADelayAllGoAtOnce) {
  UseHedging("0s");
  server().Script(kCall, {AttemptScript::Ok().AfterGate("all")});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 3));
  server().OpenGate("all");
  EXPECT_TRUE(call->Wait().status.ok());
  EXPECT_THAT(Headers(), UnorderedElementsAre("-", "1", "2"));
  ExpectAttempts(kCall, 3);
}

TEST_P(HedgingTest, C12_OneKeyAndConsecutiveHeaders) {
  TestPolicy policy;
  policy.Hedge();
  policy.more = R"("idempotencyKey":{"header":"my-key"})";
  Use(policy);
  server().Script(kCall, {AttemptScript::Silent(), Unavailable(),
                          AttemptScript::Ok("three")});
  Expect(Call(), {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, 0});
  std::set<std::string> keys;
  for (const SeenAttempt& seen : server().log().Attempts(kCall)) {
    keys.insert(seen.metadata.find("my-key")->second);
  }
  EXPECT_THAT(keys, ElementsAre(SizeIs(36)));
}

TEST_P(HedgingTest, C13_TheBreakerOpensWhileHedging) {
  TestPolicy policy;
  policy.Hedge("0.2s");
  policy.circuit_breaker =
      R"({"consecutiveFailures":1,"openDuration":"60s",
          "failureStatusCodes":["ABORTED"]})";
  Use(policy);
  server().Script(kCall, {AttemptScript::Ok("one").AfterGate("go")});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  server().Script("other", {AttemptScript::Fail(StatusCode::ABORTED, "no")});
  EXPECT_EQ(Call("other").status.error_code(), StatusCode::ABORTED);
  ExpectAttempts("other", 1);
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetrySuppressed));
  EXPECT_THAT(Suppressed(), ElementsAre(Reason::kBreaker));
  server().OpenGate("go");
  EXPECT_TRUE(call->Wait().status.ok());
  EXPECT_THAT(Headers(), ElementsAre("-"));
  ExpectAttempts(kCall, 1);
}

TEST_P(HedgingTest, C15_HedgesStayUnderTheirShare) {
  TestPolicy policy;
  policy.Hedge("0.005s");
  policy.more = R"("hedging":{"maxExtraLoad":0.1})";
  Use(policy);
  constexpr int kCalls = 20;
  int attempts = 0;
  for (int i = 0; i < kCalls; ++i) {
    const std::string id = "slow " + std::to_string(i);
    server().Script(id,
                    {AttemptScript::Ok().AfterDelay(absl::Milliseconds(30))});
    EXPECT_TRUE(Call(id).status.ok());
    const auto seen = server().log().Attempts(id).size();
    attempts += static_cast<int>(seen);
    ExpectAttempts(id, static_cast<int>(seen));
  }
  EXPECT_LE(attempts, kCalls + kCalls / 10 + 3);
  EXPECT_GT(attempts, kCalls);
  EXPECT_THAT(Suppressed(), Contains(Reason::kHedgeLoad));
}

TEST_P(HedgingTest, TheReportTellsOfHedges) {
  UseHedging();
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Ok("two")});
  auto call = NewCall();
  CallScope scope(call->context());
  call->Start();
  Expect(call->Wait(), {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  const CallReport report = scope.report();
  ASSERT_THAT(report.attempts, SizeIs(2));
  EXPECT_EQ(report.attempts[0].kind, AttemptKind::kFirst);
  EXPECT_EQ(report.attempts[0].status.error_code(), StatusCode::CANCELLED);
  EXPECT_GE(report.attempts[0].duration, absl::Milliseconds(50));
  EXPECT_EQ(report.attempts[1].kind, AttemptKind::kHedge);
  EXPECT_TRUE(report.attempts[1].status.ok());
  EXPECT_EQ(report.attempts[1].delay, absl::Milliseconds(50));
  EXPECT_EQ(report.attempts[1].delay_source, DelaySource::kHedging);
}

TEST_P(HedgingTest, AScopeWithoutRetriesSendsNoHedge) {
  UseHedging("0.001s");
  server().Script(
      kCall, {AttemptScript::Ok("one").AfterDelay(absl::Milliseconds(30))});
  auto call = NewCall();
  CallScope scope(call->context());
  scope.set_no_retries();
  call->Start();
  Expect(call->Wait(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
}

TEST_P(HedgingTest, ReportOnlySendsNoneAndTells) {
  TestPolicy policy;
  policy.Hedge("0.001s");
  policy.more = R"("hedging":{"mode":"REPORT_ONLY"})";
  Use(policy);
  server().Script(kCall, {AttemptScript::Ok("one").AfterGate("go")});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kHedgeWouldStart));
  server().OpenGate("go");
  Expect(call->Wait(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
}

TEST_P(HedgingTest, C16_AfterAHundredCallsThePercentileIsTheDelay) {
  TestPolicy policy;
  policy.Hedge("10s");
  policy.more = R"("hedging":{"delayPercentile":90,"maxExtraLoad":1})";
  Use(policy);
  for (int i = 0; i < 100; ++i) {
    const std::string id = "call " + std::to_string(i);
    EXPECT_TRUE(Call(id).status.ok());
  }
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Ok("two")});
  const EchoResult result = Call();
  EXPECT_EQ(result.response.message(), "two");
  EXPECT_LT(result.duration, absl::Seconds(10));
  ExpectAttempts(kCall, 2);
}

INSTANTIATE_TEST_SUITE_P(, HedgingTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
