// One unary call of the echo service, through any of gRPC's C++ APIs, with the
// same result in the same form.
//
//   EchoCall call(CallStyle::kReactor, channel, RequestFor("call"));
//   call.context().set_deadline(DeadlineIn(absl::Seconds(5)));
//   call.Start();
//   ... call.Cancel() ...
//   EXPECT_EQ(call.Wait().status.error_code(), grpc::StatusCode::OK);
//
// A test that runs through all of them:
//
//   class RetryTest : public ::testing::TestWithParam<CallStyle> {};
//   INSTANTIATE_TEST_SUITE_P(, RetryTest, ::testing::ValuesIn(kAllCallStyles),
//                            CallStyleTestName);
//
// Streams get a class of their own beside this one.
//
// Thread-safety: Cancel and Wait may be called from any thread, the rest from
// one. Lifetime: the destructor waits for the call's end; a call that never
// ends aborts the test, and a completion that comes twice fails it.
#ifndef TESTS_SUPPORT_ECHO_CALL_H_
#define TESTS_SUPPORT_ECHO_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/support/metadata.h"
#include "tests/support/real_time.h"

namespace retrykit {

enum class CallStyle : unsigned char {
  kSync,            // A blocking stub, on a thread of its own.
  kCq,              // Completion queue: Finish alone.
  kCqReadMetadata,  // Completion queue: ReadInitialMetadata, then Finish.
  kCallback,        // A function.
  kReactor,         // A ClientUnaryReactor.
};

inline constexpr CallStyle kAllCallStyles[] = {
    CallStyle::kSync, CallStyle::kCq, CallStyle::kCqReadMetadata,
    CallStyle::kCallback, CallStyle::kReactor};

// "Sync", "Cq", "CqReadMetadata", "Callback", "Reactor".
const char* CallStyleName(CallStyle style);
std::string CallStyleTestName(const ::testing::TestParamInfo<CallStyle>& info);

struct EchoResult {
  int completions = 0;  // Exactly 1 once the call has ended.
  grpc::Status status;
  testing::EchoResponse response;
  Metadata initial_metadata;   // As the context has it afterwards.
  Metadata trailing_metadata;  // The same.
  std::thread::id thread;      // Where the completion came.
  bool queue_ok = true;        // `ok` of Finish's tag; true in other styles.
  bool headers_ok = true;      // `ok` of ReadInitialMetadata's tag, the same.
  absl::Duration duration = absl::ZeroDuration();  // Since Start().
};

// What a call and its completion share. It belongs to the call alone: were the
// completion to drop the context last, and with it the channel, gRPC 1.51 would
// join its callback thread from itself.
class EchoCallState {
 public:
  EchoCallState(testing::EchoRequest request,
                std::unique_ptr<grpc::ClientContext> context);

  grpc::ClientContext& context() { return *context_; }
  const testing::EchoRequest& request() const { return request_; }
  testing::EchoResponse& response() { return response_; }

  void Started();
  void HeadersArrived(bool ok);
  void Completed(const grpc::Status& status, bool queue_ok = true);

  bool WaitForHeaders(absl::Duration patience) const;
  bool WaitForEnd(absl::Duration patience) const;
  EchoResult result() const;

 private:
  bool WaitFor(const bool& flag, absl::Duration patience) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const testing::EchoRequest request_;
  const std::unique_ptr<grpc::ClientContext> context_;
  testing::EchoResponse response_;

  mutable Mutex mu_;
  mutable CondVar changed_;
  Instant started_ ABSL_GUARDED_BY(mu_);
  bool headers_arrived_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  EchoResult result_ ABSL_GUARDED_BY(mu_);
};

// One way to make the call. Lives until the call has ended.
class EchoDriver {
 public:
  virtual ~EchoDriver() = default;
  virtual void Start(testing::Echo::Stub& stub, EchoCallState& state) = 0;
};

class EchoCall {
 public:
  // `context`: null makes a fresh one.
  EchoCall(CallStyle style, std::shared_ptr<grpc::ChannelInterface> channel,
           testing::EchoRequest request,
           std::unique_ptr<grpc::ClientContext> context = nullptr);
  ~EchoCall();
  EchoCall(const EchoCall&) = delete;
  EchoCall& operator=(const EchoCall&) = delete;

  grpc::ClientContext& context() { return state_.context(); }

  // The asynchronous styles start on the calling thread.
  void Start();
  void Cancel() { context().TryCancel(); }

  // True once ReadInitialMetadata was answered. kCqReadMetadata only.
  bool WaitForHeaders(absl::Duration patience = kPatience) const {
    return state_.WaitForHeaders(patience);
  }
  // True once the call has ended.
  bool WaitForEnd(absl::Duration patience = kPatience) const {
    return state_.WaitForEnd(patience);
  }
  // The result once the call has ended; fails the test if that takes longer
  // than kPatience.
  EchoResult Wait() const;

 private:
  EchoCallState state_;
  const std::unique_ptr<testing::Echo::Stub> stub_;
  const std::unique_ptr<EchoDriver> driver_;
  bool started_ = false;
};

// A request with this id.
testing::EchoRequest RequestFor(const std::string& id,
                                const std::string& message = "hello");

// Makes a call, `prepare` having seen its context, and waits for its end.
EchoResult CallEcho(
    CallStyle style, const std::shared_ptr<grpc::ChannelInterface>& channel,
    const testing::EchoRequest& request,
    const std::function<void(grpc::ClientContext&)>& prepare = nullptr);

}  // namespace retrykit

#endif  // TESTS_SUPPORT_ECHO_CALL_H_
