// Deadlines of calls and of attempts: what the server is told of them, and that
// calls end by them.
#include <gmock/gmock.h>
#include <grpc/support/time.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// How much earlier than asked gRPC's timers may end a call.
constexpr absl::Duration kEarly = absl::Milliseconds(10);

class UnaryDeadlineTest : public UnaryEndToEndTest {
 protected:
  static AttemptScript Aborted() {
    return AttemptScript::Fail(StatusCode::ABORTED, "no");
  }

  // On the wire a timeout is rounded up to two digits or three.
  static absl::Duration Rounded(absl::Duration timeout) {
    return timeout * 1.02;
  }

  absl::Duration TimeLeftAt(int attempt, const std::string& id = kCall) {
    return server()
        .log()
        .Attempts(id)
        .at(static_cast<size_t>(attempt - 1))
        .time_left;
  }

  static void ExpectEndedAt(const EchoResult& result, absl::Duration at) {
    EXPECT_GE(result.duration, at - kEarly);
    EXPECT_LT(result.duration, at + kTooLate);
  }
};

TEST_P(UnaryDeadlineTest, A05_DeadlineShorterThanTheBackoff) {
  TestPolicy policy;
  policy.SetBackoff("60s");
  Use(policy);
  server().Script(kCall, {Aborted()});
  const EchoResult result = Call(kCall, WithDeadline(absl::Seconds(20)));
  Expect(result, {StatusCode::ABORTED,
                  "no" + Why(Reason::kDeadline, 1),
                  {"-"},
                  Reason::kDeadline,
                  -1});
  EXPECT_LT(result.duration, kTooLate);
}

TEST_P(UnaryDeadlineTest, A06_AbortedThenSilentToTheDeadline) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  const EchoResult result = Call(kCall, WithDeadline(absl::Seconds(1)));
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  AllOf(HasSubstr("last status ABORTED: no"),
                        EndsWith(Why(Reason::kDeadlineExceeded, 2))),
                  {"-", "1"},
                  Reason::kDeadlineExceeded,
                  -1});
  ExpectEndedAt(result, absl::Seconds(1));
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
}

// The listed codes do not matter: DEADLINE_EXCEEDED is not among them.
TEST_P(UnaryDeadlineTest, A10_SilentAttemptsAreRetried) {
  TestPolicy policy;
  policy.per_attempt_timeout = "0.4s";
  Use(policy);
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Silent(),
                          AttemptScript::Ok("done")});
  const EchoResult result = Call();
  EXPECT_EQ(result.response.message(), "done");
  Expect(result, {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, -1});
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_LE(TimeLeftAt(attempt), Rounded(absl::Milliseconds(400)));
    EXPECT_GT(TimeLeftAt(attempt), absl::ZeroDuration());
  }
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
}

TEST_P(UnaryDeadlineTest, A11_SilentAlways) {
  TestPolicy policy;
  policy.per_attempt_timeout = "0.3s";
  Use(policy);
  server().Script(kCall, {AttemptScript::Silent()});
  const EchoResult result = Call();
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  EndsWith(Why(Reason::kMaxAttempts, 3)),
                  {"-", "1", "2"},
                  Reason::kMaxAttempts,
                  -3});
  EXPECT_GE(result.duration, 3 * (absl::Milliseconds(300) - kEarly));
}

TEST_P(UnaryDeadlineTest, A12_DeadlineExceededSentByTheServer) {
  TestPolicy policy;
  policy.per_attempt_timeout = "20s";
  Use(policy);
  server().Script(kCall,
                  {AttemptScript::Fail(StatusCode::DEADLINE_EXCEEDED, "own")});
  Expect(
      Call(),
      {StatusCode::DEADLINE_EXCEEDED, "own", {"-"}, Reason::kNotRetryable, 0});
}

TEST_P(UnaryDeadlineTest, A31_TimeoutOfTheConfig) {
  TestPolicy policy;
  policy.timeout = "0.3s";
  Use(policy);
  server().Script(kCall, {AttemptScript::Silent()});
  const EchoResult result = Call();
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  Not(HasSubstr("retrykit")),
                  {"-"},
                  Reason::kDeadlineExceeded,
                  0});
  ExpectEndedAt(result, absl::Milliseconds(300));
  EXPECT_LE(TimeLeftAt(1), Rounded(absl::Milliseconds(300)));
}

TEST_P(UnaryDeadlineTest, A42_TimeoutWithoutARetryPolicy) {
  TestPolicy policy;
  policy.retries = false;
  policy.timeout = "3s";
  Use(policy);
  auto parts = toolkit().Prepare("in-process");
  ASSERT_TRUE(parts.ok()) << parts.status();
  const std::shared_ptr<grpc::Channel> in_process =
      server().server().experimental().InProcessChannelWithInterceptors(
          parts->arguments, std::move(parts->factories));
  const auto prepare = WithDeadline(absl::Seconds(60));

  EXPECT_TRUE(Call("before", prepare).status.ok());
  EXPECT_TRUE(
      CallEcho(style(), in_process, RequestFor("near"), prepare).status.ok());
  for (const char* id : {"before", "near"}) {
    EXPECT_LE(TimeLeftAt(1, id), Rounded(absl::Seconds(3)));
    EXPECT_GT(TimeLeftAt(1, id), absl::ZeroDuration());
  }

  policy.timeout = "6s";
  ASSERT_TRUE(toolkit().Reload(*ServiceConfig::FromJson(policy.Json())).ok());
  EXPECT_TRUE(Call("after", prepare).status.ok());
  EXPECT_TRUE(CallEcho(style(), in_process, RequestFor("near after"), prepare)
                  .status.ok());
  for (const char* id : {"after", "near after"}) {
    EXPECT_LE(TimeLeftAt(1, id), Rounded(absl::Seconds(6)));
    EXPECT_GT(TimeLeftAt(1, id), Rounded(absl::Seconds(3)));
  }
}

TEST_P(UnaryDeadlineTest, A44_DeadlineGivenAsADuration) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  const EchoResult result = Call(kCall, [](grpc::ClientContext& context) {
    context.set_deadline(gpr_time_from_millis(1000, GPR_TIMESPAN));
  });
  Expect(result, {StatusCode::DEADLINE_EXCEEDED,
                  HasSubstr("last status ABORTED: no"),
                  {"-", "1"},
                  Reason::kDeadlineExceeded,
                  -1});
  ExpectEndedAt(result, absl::Seconds(1));
}

INSTANTIATE_TEST_SUITE_P(, UnaryDeadlineTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
