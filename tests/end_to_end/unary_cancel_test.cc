// Cancellation: by the application in every phase, and by the end of the
// inbound call on whose behalf a call is made.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "tests/support/end_to_end_test.h"
#include "tests/support/handler_server.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

AttemptScript Aborted() {
  return AttemptScript::Fail(StatusCode::ABORTED, "no");
}

class UnaryCancelTest : public UnaryEndToEndTest {
 protected:
  // Cancels the call; the result must be there soon.
  static EchoResult CancelNow(EchoCall& call) {
    call.Cancel();
    EXPECT_TRUE(call.WaitForEnd(kTooLate)) << "cancelled, and has not ended";
    return call.Wait();
  }
};

TEST_P(UnaryCancelTest, A07_CancelledDuringBackoff) {
  TestPolicy policy;
  policy.SetBackoff("60s");
  Use(policy);
  server().Script(kCall, {Aborted()});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  Expect(CancelNow(*call), {StatusCode::CANCELLED,
                            Not(HasSubstr("retrykit")),
                            {"-"},
                            Reason::kCancelled,
                            -1});
}

TEST_P(UnaryCancelTest, A08_CancelledDuringTheSecondAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  auto call = NewCall();
  call->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
  Expect(CancelNow(*call), {StatusCode::CANCELLED,
                            EndsWith(Why(Reason::kCancelled, 2)),
                            {"-", "1"},
                            Reason::kCancelled,
                            -1});
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
}

TEST_P(UnaryCancelTest, A09_CancelledBeforeItStarts) {
  Use(TestPolicy());
  const EchoResult result =
      Call(kCall, [](grpc::ClientContext& context) { context.TryCancel(); });
  Expect(result, {StatusCode::CANCELLED,
                  Not(HasSubstr("retrykit")),
                  {},
                  Reason::kCancelled,
                  0});
  EXPECT_EQ(server().log().total(), 0);
}

// A server in the middle calls the scripted one on behalf of its own caller.
class InboundCallTest : public UnaryCancelTest {
 protected:
  // What the middle's own call ended with, and when. Waited for.
  EchoResult Inner() {
    MutexLock lock(mu_);
    const Instant until = MonotonicClock().Now() + kPatience;
    while (inner_.completions == 0 && MonotonicClock().Now() < until) {
      changed_.WaitUntil(mu_, until);
    }
    EXPECT_EQ(inner_.completions, 1) << "the inner call has not ended";
    return inner_;
  }

  // The inbound call, on a plain channel.
  std::unique_ptr<EchoCall> NewInboundCall() {
    return std::make_unique<EchoCall>(
        CallStyle::kReactor,
        grpc::CreateChannel(middle_.address(),
                            grpc::InsecureChannelCredentials()),
        RequestFor("inbound"));
  }

 private:
  grpc::Status Handle(grpc::ServerContext& context) {
    auto inherited = grpc::ClientContext::FromServerContext(context);
    inherited->AddMetadata(kCallIdHeader, kCall);
    EchoCall call(style(), channel(), RequestFor(kCall), std::move(inherited));
    call.Start();
    const EchoResult result = call.Wait();
    MutexLock lock(mu_);
    inner_ = result;
    changed_.NotifyAll();
    return result.status;
  }

  Mutex mu_;
  CondVar changed_;
  EchoResult inner_ ABSL_GUARDED_BY(mu_);
  SyncHandlerServer middle_{[this](grpc::ServerContext& context, const auto&,
                                   auto&) { return Handle(context); }};
};

TEST_P(InboundCallTest, A32_InboundCancelledDuringAnAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  auto inbound = NewInboundCall();
  inbound->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
  const Instant cancelled = MonotonicClock().Now();
  inbound->Cancel();
  EXPECT_EQ(Inner().status.error_code(), StatusCode::CANCELLED);
  EXPECT_LT(MonotonicClock().Now() - cancelled, kTooLate);
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
  ExpectAttempts(kCall, 2);
}

TEST_P(InboundCallTest, A32_InboundCancelledDuringBackoff) {
  TestPolicy policy;
  policy.SetBackoff("0.5s");
  Use(policy);
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  auto inbound = NewInboundCall();
  inbound->Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  inbound->Cancel();
  const EchoResult inner = Inner();
  EXPECT_EQ(inner.status.error_code(), StatusCode::CANCELLED);
  EXPECT_LT(inner.duration, absl::Milliseconds(500) + kTooLate);
  ExpectAttempts(kCall, 1);
}

// The end of the inbound call reaches the attempt as its deadline or as a
// cancellation, whichever is first; on a plain channel too.
const auto kEndedWithInbound =
    AnyOf(StatusCode::DEADLINE_EXCEEDED, StatusCode::CANCELLED);

TEST_P(InboundCallTest, A32_InboundDeadlineDuringAnAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  auto inbound = NewInboundCall();
  inbound->context().set_deadline(DeadlineIn(absl::Seconds(1)));
  inbound->Start();
  const EchoResult inner = Inner();
  EXPECT_THAT(inner.status.error_code(), kEndedWithInbound);
  EXPECT_LT(inner.duration, absl::Seconds(1) + kTooLate);
  ExpectAttempts(kCall, 2);
}

TEST_P(InboundCallTest, A32_InboundDeadlineDuringBackoff) {
  TestPolicy policy;
  policy.SetBackoff("2s");
  Use(policy);
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  auto inbound = NewInboundCall();
  inbound->context().set_deadline(DeadlineIn(absl::Seconds(1)));
  inbound->Start();
  const EchoResult inner = Inner();
  EXPECT_THAT(inner.status.error_code(), kEndedWithInbound);
  EXPECT_LT(inner.duration, absl::Seconds(2) + kTooLate);
  ExpectAttempts(kCall, 1);
}

INSTANTIATE_TEST_SUITE_P(, UnaryCancelTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);
INSTANTIATE_TEST_SUITE_P(, InboundCallTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
