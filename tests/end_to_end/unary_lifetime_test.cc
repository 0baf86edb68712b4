// Who may go when: queues, channels, toolkits, contexts.
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

AttemptScript Aborted() {
  return AttemptScript::Fail(StatusCode::ABORTED, "no");
}

// A call on a queue that the test itself polls.
class QueueTest : public EndToEndTest {
 protected:
  void Start() {
    stub_ = testing::Echo::NewStub(channel());
    reader_ = stub_->AsyncUnary(&context_, request_, &queue_);
    reader_->Finish(&response_, &status_, this);
  }

  // Shuts the queue down and empties it; returns how long that took.
  absl::Duration Drain() {
    const Instant start = MonotonicClock().Now();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    EXPECT_EQ(tag, this);
    EXPECT_TRUE(ok);
    EXPECT_FALSE(queue_.Next(&tag, &ok));
    return MonotonicClock().Now() - start;
  }

  grpc::ClientContext context_;
  grpc::Status status_;

 private:
  std::unique_ptr<testing::Echo::Stub> stub_;
  const testing::EchoRequest request_ = RequestFor(kCall);
  testing::EchoResponse response_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<testing::EchoResponse>>
      reader_;
};

TEST_F(QueueTest, A33_DrainedAfterACancelDuringBackoff) {
  TestPolicy policy;
  policy.SetBackoff("60s");
  Use(policy);
  server().Script(kCall, {Aborted()});
  Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  context_.TryCancel();
  EXPECT_LT(Drain(), kTooLate);
  EXPECT_EQ(status_.error_code(), StatusCode::CANCELLED);
  ExpectAttempts(kCall, 1);
}

TEST_F(QueueTest, A33_DrainedDuringBackoffEndsWithTheCall) {
  TestPolicy policy;
  policy.SetBackoff("0.3s");
  Use(policy);
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  context_.set_deadline(DeadlineIn(absl::Seconds(1)));
  Start();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  EXPECT_LT(Drain(), absl::Seconds(1) + kTooLate);
  EXPECT_EQ(status_.error_code(), StatusCode::DEADLINE_EXCEEDED);
}

class UnaryLifetimeTest : public UnaryEndToEndTest {
 protected:
  // A toolkit and a channel that nobody else has.
  struct Own {
    std::shared_ptr<Toolkit> toolkit;
    std::shared_ptr<grpc::Channel> channel;
  };
  Own Make(const TestPolicy& policy) {
    Own own;
    own.toolkit = *Toolkit::Create(*ServiceConfig::FromJson(policy.Json()));
    own.channel = *own.toolkit->CreateChannel(
        server().address(), grpc::InsecureChannelCredentials());
    return own;
  }
};

// Each round: a retried call, one whose attempts end by timeout, and one that
// is cancelled; then all goes, in both orders.
TEST_P(UnaryLifetimeTest, A34_ChannelAndToolkitGoRightAfterTheResponse) {
  TestPolicy policy;
  policy.initial_backoff = policy.max_backoff = "0.001s";
  policy.per_attempt_timeout = "0.05s";
  server().Script("retried", {Aborted()});
  server().Script("silent", {AttemptScript::Silent()});
  for (int round = 0; round < 20; ++round) {
    Own own = Make(policy);
    EXPECT_EQ(CallEcho(style(), own.channel, RequestFor("retried"))
                  .status.error_code(),
              StatusCode::ABORTED);
    if (round % 4 == 0) {
      EXPECT_EQ(CallEcho(style(), own.channel, RequestFor("silent"))
                    .status.error_code(),
                StatusCode::DEADLINE_EXCEEDED);
    }
    {
      EchoCall cancelled(style(), own.channel, RequestFor("silent"));
      cancelled.Start();
      cancelled.Cancel();
      cancelled.Wait();
    }
    if (round % 2 == 0) own.channel.reset();
    own.toolkit.reset();
  }
}

// The toolkit goes first, with a call in its backoff; the channel keeps what
// the call needs.
TEST_P(UnaryLifetimeTest, A34_ToolkitGoesWithACallInFlight) {
  TestPolicy policy;
  policy.SetBackoff("0.2s");
  Own own = Make(policy);
  server().Script(kCall, {Aborted(), AttemptScript::Ok("done")});
  EchoCall call(style(), own.channel, RequestFor(kCall));
  call.Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  own.toolkit.reset();
  own.channel.reset();
  EXPECT_EQ(call.Wait().response.message(), "done");
}

TEST_P(UnaryLifetimeTest, A35_TwoHundredCallsAtOnce) {
  constexpr int kCalls = 200;
  Use(TestPolicy());
  std::vector<std::unique_ptr<EchoCall>> calls;
  for (int i = 0; i < kCalls; ++i) {
    const std::string id = absl::StrCat("call ", i);
    server().Script(id, {Aborted(), AttemptScript::Ok(id)});
    calls.push_back(NewCall(id));
    ExpectAttempts(id, 2);
  }
  for (const auto& call : calls) call->Start();
  for (int i = 0; i < kCalls; ++i) {
    const EchoResult result = calls[static_cast<size_t>(i)]->Wait();
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_EQ(result.response.message(), absl::StrCat("call ", i));
    EXPECT_EQ(result.completions, 1);
  }
  EXPECT_TRUE(observer().WaitFor(CallEvent::Type::kCallEnded, kCalls));
  EXPECT_EQ(observer().Count(CallEvent::Type::kCallEnded), kCalls);
}

// An open breaker ends the call before anything is sent; still not inside the
// call that starts it, whose caller may hold a lock.
TEST_P(UnaryLifetimeTest, A43_ACallThatEndsAtOnceCompletesOnAnotherThread) {
  if (style() == CallStyle::kSync) GTEST_SKIP() << "it waits anyway";
  for (const bool retries : {true, false}) {
    TestPolicy policy;
    policy.retries = retries;
    policy.circuit_breaker =
        R"({"consecutiveFailures":1,"openDuration":"60s"})";
    Own own = Make(policy);
    server().Script(kCall, {AttemptScript::Fail(StatusCode::INTERNAL)});
    EXPECT_EQ(
        CallEcho(style(), own.channel, RequestFor(kCall)).status.error_code(),
        StatusCode::INTERNAL);
    for (int round = 0; round < 20; ++round) {
      const EchoResult refused =
          CallEcho(style(), own.channel, RequestFor(kCall));
      EXPECT_EQ(refused.status.error_code(), StatusCode::UNAVAILABLE);
      EXPECT_NE(refused.thread, std::this_thread::get_id());
    }
  }
  ExpectAttempts(kCall, 2);
}

INSTANTIATE_TEST_SUITE_P(, UnaryLifetimeTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

// A call that owns its context, and drops everything in its completion.
class SelfDeletingCall : public grpc::ClientUnaryReactor {
 public:
  explicit SelfDeletingCall(std::promise<StatusCode>& done) : done_(done) {}

  void StartAsReactor(testing::Echo::Stub& stub) {
    stub.async()->Unary(context_.get(), &request_, &response_, this);
    StartCall();
  }

  void StartAsFunction(testing::Echo::Stub& stub) {
    stub.async()->Unary(context_.get(), &request_, &response_,
                        [this](grpc::Status status) { OnDone(status); });
  }

  void StartOnQueue(testing::Echo::Stub& stub, grpc::CompletionQueue& queue) {
    reader_ = stub.AsyncUnary(context_.get(), request_, &queue);
    reader_->Finish(&response_, &status_, this);
  }

  void OnQueue() { OnDone(status_); }

  void OnDone(const grpc::Status& status) override {
    const StatusCode code = status.error_code();
    std::promise<StatusCode>& done = done_;
    context_.reset();
    delete this;
    done.set_value(code);
  }

 private:
  std::promise<StatusCode>& done_;
  std::unique_ptr<grpc::ClientContext> context_ =
      std::make_unique<grpc::ClientContext>();
  const testing::EchoRequest request_ = RequestFor(kCall);
  testing::EchoResponse response_;
  grpc::Status status_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<testing::EchoResponse>>
      reader_;
};

class ContextLifetimeTest : public EndToEndTest {
 protected:
  static constexpr int kRounds = 50;

  void SetUp() override {
    TestPolicy policy;
    policy.SetBackoff("0.001s");
    policy.throttling = "";
    Use(policy);
    server().Script(kCall, {Aborted()});
    stub_ = testing::Echo::NewStub(channel());
  }

  void TearDown() override {
    ExpectAttempts(kCall, 3 * kRounds);
    EndToEndTest::TearDown();
  }

  std::unique_ptr<testing::Echo::Stub> stub_;
};

TEST_F(ContextLifetimeTest, A36_ContextDestroyedInTheReactor) {
  for (int round = 0; round < kRounds; ++round) {
    std::promise<StatusCode> done;
    (new SelfDeletingCall(done))->StartAsReactor(*stub_);
    EXPECT_EQ(done.get_future().get(), StatusCode::ABORTED);
  }
}

TEST_F(ContextLifetimeTest, A36_ContextDestroyedInTheCallback) {
  for (int round = 0; round < kRounds; ++round) {
    std::promise<StatusCode> done;
    (new SelfDeletingCall(done))->StartAsFunction(*stub_);
    EXPECT_EQ(done.get_future().get(), StatusCode::ABORTED);
  }
}

TEST_F(ContextLifetimeTest, A36_ContextDestroyedWithTheTag) {
  grpc::CompletionQueue queue;
  for (int round = 0; round < kRounds; ++round) {
    std::promise<StatusCode> done;
    (new SelfDeletingCall(done))->StartOnQueue(*stub_, queue);
    void* tag = nullptr;
    bool ok = false;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    EXPECT_TRUE(ok);
    static_cast<SelfDeletingCall*>(tag)->OnQueue();
    EXPECT_EQ(done.get_future().get(), StatusCode::ABORTED);
  }
}

}  // namespace
}  // namespace retrykit
