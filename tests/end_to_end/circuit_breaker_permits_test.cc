// Permits of the circuit breaker: they come back however a probe ends, and what
// counts neither way does not count.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/end_to_end/circuit_breaker_fixture.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

class PermitsTest : public CircuitBreakerTest {
 protected:
  // One probe at a time, and the next call is it.
  void UseHalfOpenBreaker(bool retries = true) {
    UseBreaker(R"({"consecutiveFailures":1,"openDuration":"600s",
                   "maxOpenDuration":"600s","halfOpenProbes":1})",
               retries);
    Call(kFails);
    clock_.Advance(absl::Seconds(800));
  }

  // Starts a probe that the server holds.
  std::unique_ptr<EchoCall> StartHeldProbe() {
    auto probe = NewCall(kHeld);
    probe->Start();
    EXPECT_TRUE(server().log().WaitForAttempts(kHeld, 1));
    EXPECT_TRUE(IsRefused(kOk));
    return probe;
  }

  // The permit is there for the taking, and a success closes the breaker.
  void ExpectPermitIsBack() {
    EXPECT_TRUE(Call(kOk).status.ok());
    EXPECT_EQ(Closed(), 1);
  }
};

TEST_P(PermitsTest, D06_ProbeCancelledByTheApplication) {
  for (const bool retries : {true, false}) {
    SCOPED_TRACE(retries ? "with retryPolicy" : "breaker alone");
    TestPolicy policy;
    policy.retries = retries;
    policy.circuit_breaker =
        R"({"consecutiveFailures":1,"openDuration":"600s",
            "maxOpenDuration":"600s","halfOpenProbes":1})";
    UseWithClock(policy);
    Call(kFails);
    clock_.Advance(absl::Seconds(800));
    const int seen = static_cast<int>(server().log().Attempts(kHeld).size());
    auto probe = NewCall(kHeld);
    probe->Start();
    ASSERT_TRUE(server().log().WaitForAttempts(kHeld, seen + 1));
    EXPECT_TRUE(IsRefused(kOk));
    probe->Cancel();
    EXPECT_EQ(probe->Wait().status.error_code(), StatusCode::CANCELLED);
    EXPECT_TRUE(Call(kOk).status.ok());
  }
}

TEST_P(PermitsTest, D06_ProbeThatEndsNeutrally) {
  UseHalfOpenBreaker();
  server().Script("neutral",
                  {AttemptScript::Fail(StatusCode::RESOURCE_EXHAUSTED)});
  EXPECT_EQ(Call("neutral").status.error_code(),
            StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Opened(), 1);
  EXPECT_EQ(Closed(), 0);
  ExpectPermitIsBack();
}

// Its permit is given out again after openDuration, and what it says in the
// end no longer matters.
TEST_P(PermitsTest, D06_ProbeThatHangs) {
  UseHalfOpenBreaker();
  server().Script(
      kHeld,
      {AttemptScript::Fail(StatusCode::INTERNAL, "late").AfterGate("go")});
  auto probe = StartHeldProbe();
  clock_.Advance(absl::Seconds(800));
  ExpectPermitIsBack();
  server().OpenGate("go");
  EXPECT_EQ(probe->Wait().status.error_message(), "late");
  EXPECT_EQ(Opened(), 1);
  EXPECT_TRUE(Call(kOk).status.ok());
}

// A late failure from before the breaker opened does not open it again.
TEST_P(PermitsTest, D05_LateFailureFromBeforeTheChange) {
  UseBreaker(R"({"consecutiveFailures":1,"openDuration":"600s",
                 "maxOpenDuration":"600s","halfOpenProbes":1})");
  server().Script(
      kHeld,
      {AttemptScript::Fail(StatusCode::INTERNAL, "late").AfterGate("go")});
  auto early = NewCall(kHeld);
  early->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kHeld, 1));
  Call(kFails);
  clock_.Advance(absl::Seconds(800));
  ExpectPermitIsBack();
  server().OpenGate("go");
  EXPECT_EQ(early->Wait().status.error_message(), "late");
  EXPECT_EQ(Opened(), 1);
  EXPECT_TRUE(Call(kOk).status.ok());
}

// The second call's failure opens the breaker while the first waits for its
// retry, which then is not sent.
TEST_P(PermitsTest, D10_OpensDuringBackoff) {
  TestPolicy policy;
  policy.SetBackoff("1s");
  policy.circuit_breaker =
      R"({"consecutiveFailures":2,"openDuration":"600s",
          "failureStatusCodes":["ABORTED","INTERNAL"]})";
  UseWithClock(policy);
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no")});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  Call(kFails);
  EXPECT_EQ(Opened(), 1);
  const EchoResult result = call->Wait();
  EXPECT_EQ(result.status.error_code(), StatusCode::ABORTED);
  EXPECT_EQ(result.status.error_message(), "no" + Why(Reason::kBreaker, 1));
  EXPECT_EQ(observer().Ended(2).reason, Reason::kBreaker);
  ExpectAttempts(kCall, 1);
}

// The breaker that an attempt's own failure opens refuses its retry at once.
TEST_P(PermitsTest, D10_OpensByTheAttemptItself) {
  TestPolicy policy;
  policy.SetBackoff("60s");
  policy.circuit_breaker =
      R"({"consecutiveFailures":1,"openDuration":"600s",
          "failureStatusCodes":["ABORTED"]})";
  UseWithClock(policy);
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no")});
  const EchoResult result = Call();
  Expect(result, {StatusCode::ABORTED,
                  "no" + Why(Reason::kBreaker, 1),
                  {"-"},
                  Reason::kBreaker,
                  -1});
  EXPECT_LT(result.duration, kTooLate);
}

// Half the calls are given a millisecond by an impatient caller; the server
// needs five.
TEST_P(PermitsTest, D13_OneImpatientCallerDoesNotOpenIt) {
  UseBreaker(R"({"minimumCalls":5,"failureRateThreshold":0.1,
                 "window":"600s","openDuration":"600s"})");
  server().Script(kCall,
                  {AttemptScript::Ok().AfterDelay(absl::Milliseconds(5))});
  for (int i = 0; i < 20; ++i) {
    Call(kCall, WithDeadline(absl::Milliseconds(1)));
    EXPECT_TRUE(Call(kCall, WithDeadline(absl::Seconds(20))).status.ok());
  }
  EXPECT_EQ(Opened(), 0);
}

INSTANTIATE_TEST_SUITE_P(, PermitsTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

// A call on a queue that is started, and never finished by the application.
class DroppedCallTest : public EndToEndTest {};

TEST_F(DroppedCallTest, D06_ProbeDroppedWithoutFinish) {
  ShiftedClock clock;
  Options options;
  options.clock = &clock;
  TestPolicy policy;
  policy.circuit_breaker =
      R"({"consecutiveFailures":1,"openDuration":"600s",
          "maxOpenDuration":"600s","halfOpenProbes":1})";
  Use(policy, options);
  server().Script(kFails, {AttemptScript::Fail(StatusCode::INTERNAL)});
  server().Script(kHeld, {AttemptScript::Silent()});
  Call(CallStyle::kSync, kFails);
  clock.Advance(absl::Seconds(800));
  {
    const auto stub = testing::Echo::NewStub(channel());
    grpc::CompletionQueue queue;
    grpc::ClientContext context;
    const auto reader = stub->AsyncUnary(&context, RequestFor(kHeld), &queue);
    reader->ReadInitialMetadata(&queue);
    ASSERT_TRUE(server().log().WaitForAttempts(kHeld, 1));
    context.TryCancel();
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    queue.Shutdown();
    EXPECT_FALSE(queue.Next(&tag, &ok));
  }
  EXPECT_TRUE(Call(CallStyle::kSync, kOk).status.ok());
  DropToolkit();
}

}  // namespace
}  // namespace retrykit
