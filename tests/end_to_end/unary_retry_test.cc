// Which failures of a unary call are retried, and what the application sees.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::Each;
using ::testing::SizeIs;

class UnaryRetryTest : public UnaryEndToEndTest {};

// The second attempt is held back, so that the charge for the first is seen
// before the success gives it back.
TEST_P(UnaryRetryTest, A01_AbortedThenOk) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED),
                          AttemptScript::Ok("done").AfterGate("go")});
  const double full = Tokens();
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
  EXPECT_DOUBLE_EQ(Tokens(), full - 1);
  server().OpenGate("go");
  const EchoResult result = call->Wait();
  EXPECT_EQ(result.response.message(), "done");
  EXPECT_EQ(result.response.attempt(), 2);
  Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
}

TEST_P(UnaryRetryTest, A02_AbortedAlways) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no")});
  const EchoResult result = Call();
  Expect(result, {StatusCode::ABORTED,
                  "no" + Why(Reason::kMaxAttempts, 3),
                  {"-", "1", "2"},
                  Reason::kMaxAttempts,
                  -3});
  EXPECT_EQ(observer().Count(CallEvent::Type::kRetryScheduled), 2);
  EXPECT_EQ(observer().Count(CallEvent::Type::kRetrySuppressed), 1);
}

TEST_P(UnaryRetryTest, A03_InvalidArgumentAtOnce) {
  Use(TestPolicy());
  server().Script(
      kCall, {AttemptScript::Fail(StatusCode::INVALID_ARGUMENT, "bad", "d")});
  const EchoResult result = Call();
  EXPECT_EQ(result.status.error_details(), "d");
  Expect(
      result,
      {StatusCode::INVALID_ARGUMENT, "bad", {"-"}, Reason::kNotRetryable, 0});
}

TEST_P(UnaryRetryTest, A04_AbortedThenInvalidArgument) {
  Use(TestPolicy());
  server().Script(kCall,
                  {AttemptScript::Fail(StatusCode::ABORTED),
                   AttemptScript::Fail(StatusCode::INVALID_ARGUMENT, "bad")});
  Expect(Call(), {StatusCode::INVALID_ARGUMENT,
                  "bad",
                  {"-", "1"},
                  Reason::kNotRetryable,
                  -1});
}

TEST_P(UnaryRetryTest, A22_LargeRequestIsReplayed) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED),
                          AttemptScript::Ok("done")});
  testing::EchoRequest request = RequestFor(kCall);
  std::string payload(3 << 20, '\0');
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<char>(i % 251);
  }
  request.set_payload(payload);
  Expect(CallEcho(style(), channel(), request),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  for (const SeenAttempt& seen : server().log().Attempts(kCall)) {
    ASSERT_THAT(seen.requests, SizeIs(1));
    EXPECT_TRUE(seen.requests[0] == request.SerializeAsString());
  }
}

INSTANTIATE_TEST_SUITE_P(, UnaryRetryTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
