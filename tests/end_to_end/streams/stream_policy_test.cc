// Deadlines, timeouts, the server's delays and the budget, for streams. What
// the rows say is that of unary calls; see tests/end_to_end.
#include <gmock/gmock.h>
#include <grpc/support/time.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/end_to_end/streams/stream_fixture.h"
#include "tests/support/real_time.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::ValuesIn;

// How much earlier than asked gRPC's timers may end a call.
constexpr absl::Duration kEarly = absl::Milliseconds(10);

AttemptScript Aborted() {
  return AttemptScript::Fail(StatusCode::ABORTED, "no");
}

class StreamPolicyTest : public StreamEndToEndTest {
 protected:
  absl::Duration TimeLeftAt(int attempt, const std::string& id = kCall) {
    return server()
        .log()
        .Attempts(id)
        .at(static_cast<size_t>(attempt - 1))
        .time_left;
  }
  // On the wire a timeout is rounded up to two digits or three.
  static absl::Duration Rounded(absl::Duration timeout) {
    return timeout * 1.02;
  }
  static void ExpectEndedAt(const EchoResult& result, absl::Duration at) {
    EXPECT_GE(result.duration, at - kEarly);
    EXPECT_LT(result.duration, at + kTooLate);
  }
  // The delays that were decided on, in milliseconds.
  std::vector<double> Delays() {
    std::vector<double> delays;
    for (const auto& event :
         observer().Events(CallEvent::Type::kRetryScheduled)) {
      delays.push_back(absl::ToDoubleMilliseconds(event.delay));
    }
    return delays;
  }
};

TEST_P(StreamPolicyTest, A05_DeadlineShorterThanTheBackoff) {
  TestPolicy policy;
  policy.SetBackoff("60s");
  Use(policy);
  server().Script(kCall, {Aborted()});
  const EchoResult result = Run();
  Expect(result, {StatusCode::ABORTED,
                  "no" + Why(Reason::kDeadline, 1),
                  {"-"},
                  Reason::kDeadline,
                  -1});
  EXPECT_LT(result.duration, kTooLate);
}

TEST_P(StreamPolicyTest, A06_AbortedThenSilentToTheDeadline) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  const EchoResult result = Run(kCall, WithDeadline(absl::Seconds(1)));
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  AllOf(HasSubstr("last status ABORTED: no"),
                        EndsWith(Why(Reason::kDeadlineExceeded, 2))),
                  {"-", "1"},
                  Reason::kDeadlineExceeded,
                  -1});
  ExpectEndedAt(result, absl::Seconds(1));
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
}

// Server and bidi streams carry the overall deadline: the timeout is the
// toolkit's own there.
TEST_P(StreamPolicyTest, A10_SilentAttemptsAreRetried) {
  TestPolicy policy;
  policy.per_attempt_timeout = "0.4s";
  Use(policy);
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Silent(),
                          AttemptScript::Ok("done")});
  const EchoResult result = Run();
  EXPECT_EQ(result.response.message(), "done");
  Expect(result, {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, -1});
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    if (kind() == StreamKind::kClient) {
      EXPECT_LE(TimeLeftAt(attempt), Rounded(absl::Milliseconds(400)));
    } else {
      EXPECT_GT(TimeLeftAt(attempt), absl::Seconds(5));
    }
  }
}

// The first message disarms the timeout.
TEST_P(StreamPolicyTest, A10_AStreamThatFlowsIsNotCut) {
  if (kind() == StreamKind::kClient) return;
  TestPolicy policy;
  policy.per_attempt_timeout = "0.3s";
  Use(policy);
  server().Script(kCall, {Script({ReadOne(), Send("a"),
                                  ServerAction::Delay(absl::Milliseconds(600)),
                                  Send("b"), End()})});
  const EchoResult result = Run();
  EXPECT_EQ(result.response.message(), "b");
  Expect(result, {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
}

TEST_P(StreamPolicyTest, A11_SilentAlways) {
  TestPolicy policy;
  policy.per_attempt_timeout = "0.3s";
  Use(policy);
  server().Script(kCall, {AttemptScript::Silent()});
  const EchoResult result = Run();
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  EndsWith(Why(Reason::kMaxAttempts, 3)),
                  {"-", "1", "2"},
                  Reason::kMaxAttempts,
                  -3});
  EXPECT_GE(result.duration, 3 * (absl::Milliseconds(300) - kEarly));
}

TEST_P(StreamPolicyTest, A12_DeadlineExceededSentByTheServer) {
  TestPolicy policy;
  policy.per_attempt_timeout = "20s";
  Use(policy);
  server().Script(kCall,
                  {AttemptScript::Fail(StatusCode::DEADLINE_EXCEEDED, "own")});
  Expect(
      Run(),
      {StatusCode::DEADLINE_EXCEEDED, "own", {"-"}, Reason::kNotRetryable, 0});
}

TEST_P(StreamPolicyTest, A13_PushbackThenBackoffRestarts) {
  TestPolicy policy;
  policy.max_attempts = 4;
  Use(policy);
  server().Script(kCall, {Aborted(), Aborted().WithPushback("200"), Aborted(),
                          AttemptScript::Ok()});
  Expect(Run(),
         {StatusCode::OK, "", {"-", "1", "2", "3"}, Reason::kSuccess, -2});
  EXPECT_THAT(Delays(), ElementsAre(20, 200, 20));
}

TEST_P(StreamPolicyTest, A14_PushbackSaysNo) {
  Use(TestPolicy());
  for (const std::string pushback : {"-1", "", "abc", "1.5"}) {
    SCOPED_TRACE(pushback);
    const std::string id = "call " + pushback;
    server().Script(id, {Aborted().WithPushback(pushback)});
    Expect(Run(id),
           {StatusCode::ABORTED,
            "no" + Why(Reason::kPushback, 1),
            {"-"},
            Reason::kPushback,
            -1},
           id);
  }
}

TEST_P(StreamPolicyTest, A15_PushbackZero) {
  TestPolicy policy;
  policy.SetBackoff("10s");
  Use(policy);
  server().Script(kCall,
                  {Aborted().WithPushback("0"), AttemptScript::Ok("done")});
  const EchoResult result = Run();
  Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_LT(result.duration, kTooLate);
}

TEST_P(StreamPolicyTest, A16_StatusIsJudgedBeforePushback) {
  Use(TestPolicy());
  const auto bad = AttemptScript::Fail(StatusCode::INVALID_ARGUMENT, "bad");
  server().Script("later", {bad.WithPushback("10")});
  server().Script("never", {bad.WithPushback("-1")});
  Expect(Run("later"),
         {StatusCode::INVALID_ARGUMENT, "bad", {"-"}, Reason::kNotRetryable, 0},
         "later");
  Expect(
      Run("never"),
      {StatusCode::INVALID_ARGUMENT, "bad", {"-"}, Reason::kNotRetryable, -1},
      "never");
}

TEST_P(StreamPolicyTest, A17_RetryInfo) {
  Use(TestPolicy());
  const auto ok = AttemptScript::Ok();
  server().Script("waits",
                  {Aborted().WithRetryInfo(absl::Microseconds(150000.1)), ok});
  server().Script("zero", {Aborted().WithRetryInfo(absl::ZeroDuration()), ok});
  server().Script(
      "both",
      {Aborted().WithRetryInfo(absl::Milliseconds(150)).WithPushback("30"),
       ok});
  server().Script("year", {Aborted().WithRetryInfo(365 * absl::Hours(24))});
  for (const char* id : {"waits", "zero", "both"}) {
    Expect(Run(id), {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0}, id);
  }
  EXPECT_THAT(Delays(), ElementsAre(AllOf(Ge(151), Lt(151 * 1.2)), 20, 30));
  Expect(Run("year"),
         {StatusCode::ABORTED,
          "no" + Why(Reason::kPushback, 1),
          {"-"},
          Reason::kPushback,
          -1},
         "year");
}

TEST_P(StreamPolicyTest, A18_PushbackLongerThanTheTimeLeft) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted().WithPushback("40000")});
  Expect(Run(), {StatusCode::ABORTED,
                 "no" + Why(Reason::kDeadline, 1),
                 {"-"},
                 Reason::kDeadline,
                 -1});
}

TEST_P(StreamPolicyTest, A28_BudgetTooSmallForARetry) {
  TestPolicy policy;
  policy.throttling = R"({"maxTokens":2,"tokenRatio":1})";
  Use(policy);
  server().Script(kCall, {Aborted()});
  Expect(Run(), {StatusCode::ABORTED,
                 "no" + Why(Reason::kBudget, 1),
                 {"-"},
                 Reason::kBudget,
                 -1});
}

// F: a failed attempt, S: a successful one; a call is retried while the
// failure leaves more than two tokens.
TEST_P(StreamPolicyTest, A29_BudgetTrace) {
  TestPolicy policy;
  policy.throttling = R"({"maxTokens":4,"tokenRatio":1.6})";
  Use(policy);
  const struct {
    const char* attempts;
    double tokens;
  } calls[] = {{"FS", 4},  {"FF", 2},  {"F", 1},   {"F", 0},
               {"F", 0},   {"S", 1.6}, {"S", 3.2}, {"FF", 1.2},
               {"S", 2.8}, {"F", 1.8}, {"S", 3.4}, {"FS", 4}};
  int number = 0;
  for (const auto& call : calls) {
    const std::string id = absl::StrCat("call ", ++number);
    SCOPED_TRACE(id);
    std::vector<AttemptScript> scripts;
    for (const char* attempt = call.attempts; *attempt != 0; ++attempt) {
      scripts.push_back(*attempt == 'F' ? Aborted() : AttemptScript::Ok());
    }
    server().Script(id, scripts);
    ExpectAttempts(id, static_cast<int>(scripts.size()));
    Run(id);
    EXPECT_DOUBLE_EQ(Tokens(), call.tokens);
  }
}

TEST_P(StreamPolicyTest, A31_TimeoutOfTheConfig) {
  TestPolicy policy;
  policy.timeout = "0.3s";
  Use(policy);
  server().Script(kCall, {AttemptScript::Silent()});
  const EchoResult result = Run();
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  Not(HasSubstr("retrykit")),
                  {"-"},
                  Reason::kDeadlineExceeded,
                  0});
  ExpectEndedAt(result, absl::Milliseconds(300));
  EXPECT_LE(TimeLeftAt(1), Rounded(absl::Milliseconds(300)));
}

TEST_P(StreamPolicyTest, A39_DeadlineInThePastOrOneNanosecondAway) {
  Use(TestPolicy());
  for (const absl::Duration away : {-absl::Seconds(1), absl::Nanoseconds(1)}) {
    const EchoResult result = Run(kCall, WithDeadline(away));
    EXPECT_EQ(result.status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  }
  ExpectAttempts(kCall, 0);
}

TEST_P(StreamPolicyTest, A39_InfiniteDeadline) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  Expect(Run(kCall,
             [](grpc::ClientContext& context) {
               context.set_deadline(gpr_inf_future(GPR_CLOCK_REALTIME));
             }),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_EQ(TimeLeftAt(1), absl::InfiniteDuration());
}

TEST_P(StreamPolicyTest, A42_TimeoutWithoutARetryPolicy) {
  TestPolicy policy;
  policy.retries = false;
  policy.timeout = "3s";
  Use(policy);
  auto parts = toolkit().Prepare("in-process");
  ASSERT_TRUE(parts.ok()) << parts.status();
  const std::shared_ptr<grpc::Channel> in_process =
      server().server().experimental().InProcessChannelWithInterceptors(
          parts->arguments, std::move(parts->factories));
  const auto run = [&](const std::string& id, bool near) {
    const auto stream =
        EchoStream::New(GetParam(), near ? in_process : channel(), id);
    EXPECT_TRUE(Run(*stream).status.ok());
    EXPECT_GT(TimeLeftAt(1, id), absl::ZeroDuration());
    return TimeLeftAt(1, id);
  };
  EXPECT_LE(run("before", false), Rounded(absl::Seconds(3)));
  EXPECT_LE(run("near", true), Rounded(absl::Seconds(3)));
  policy.timeout = "6s";
  ASSERT_TRUE(toolkit().Reload(*ServiceConfig::FromJson(policy.Json())).ok());
  EXPECT_GT(run("after", false), Rounded(absl::Seconds(3)));
  EXPECT_GT(run("near after", true), Rounded(absl::Seconds(3)));
}

TEST_P(StreamPolicyTest, A44_DeadlineGivenAsADuration) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  const EchoResult result = Run(kCall, [](grpc::ClientContext& context) {
    context.set_deadline(gpr_time_from_millis(1000, GPR_TIMESPAN));
  });
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  HasSubstr("last status ABORTED: no"),
                  {"-", "1"},
                  Reason::kDeadlineExceeded,
                  -1});
  ExpectEndedAt(result, absl::Seconds(1));
}

INSTANTIATE_TEST_SUITE_P(, StreamPolicyTest, ValuesIn(AllStreamStyles()),
                         StreamStyleTestName);

}  // namespace
}  // namespace retrykit
