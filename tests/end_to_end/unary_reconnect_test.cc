// Retries across a lost or refused connection. The channel must reconnect in
// time for them: gRPC's own first reconnect comes after a second.
//
// These scenarios are real time; servers come and go as in life.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::EndsWith;
using ::testing::IsEmpty;

class UnaryReconnectTest : public UnaryEndToEndTest {
 protected:
  // Attempts at 0, 50, 150, 350 and 750 ms.
  static TestPolicy FiveAttempts() {
    TestPolicy policy;
    policy.max_attempts = 5;
    policy.retryable_codes = R"(["UNAVAILABLE"])";
    policy.initial_backoff = "0.05s";
    policy.max_backoff = "1s";
    return policy;
  }

  void UseServerThatIsDown() {
    ScriptedServer::Options options;
    options.start = false;
    UseServer(options);
  }

  // The attempts that were made, whether the server saw them or not.
  int Attempts() { return observer().Count(CallEvent::Type::kAttemptStarted); }
};

TEST_P(UnaryReconnectTest, A25_RefusedThenUp) {
  UseServerThatIsDown();
  Use(FiveAttempts());
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  LetPass(absl::Milliseconds(100));
  server().Start();
  const EchoResult result = call->Wait();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_GT(Attempts(), 1);
  EXPECT_EQ(observer().Ended().reason, Reason::kSuccess);
  ExpectAttempts(kCall, 1);
}

TEST_P(UnaryReconnectTest, A26_KilledDuringTheCall) {
  Use(FiveAttempts());
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Ok("done")});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  server().Kill();
  LetPass(absl::Milliseconds(100));
  server().Start();
  const EchoResult result = call->Wait();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.response.message(), "done");
  EXPECT_GT(Attempts(), 1);
  ExpectAttempts(kCall, 2);
}

TEST_P(UnaryReconnectTest, A27_WaitForReadyOnTheContext) {
  UseServerThatIsDown();
  Use(FiveAttempts());
  auto call = NewCall();
  call->context().set_wait_for_ready(true);
  call->Start();
  EXPECT_FALSE(call->WaitForEnd(absl::Seconds(1)));
  server().Start();
  Expect(call->Wait(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
  EXPECT_EQ(Attempts(), 1);
}

TEST_P(UnaryReconnectTest, A27_WaitForReadyByTheConfig) {
  UseServerThatIsDown();
  TestPolicy policy = FiveAttempts();
  policy.wait_for_ready = "true";
  Use(policy);
  auto call = NewCall();
  call->Start();
  EXPECT_FALSE(call->WaitForEnd(absl::Seconds(1)));
  server().Start();
  Expect(call->Wait(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
  EXPECT_EQ(Attempts(), 1);
}

TEST_P(UnaryReconnectTest, A27_TheContextsExplicitWordWins) {
  UseServerThatIsDown();
  TestPolicy policy;
  policy.retryable_codes = R"(["UNAVAILABLE"])";
  policy.wait_for_ready = "true";
  Use(policy);
  const EchoResult result = Call(kCall, [](grpc::ClientContext& context) {
    context.set_wait_for_ready(false);
  });
  EXPECT_EQ(result.status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(),
              EndsWith(Why(Reason::kMaxAttempts, 3)));
  EXPECT_EQ(Attempts(), 3);
  EXPECT_THAT(Headers(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(, UnaryReconnectTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
