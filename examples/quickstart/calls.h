// The same calls on two channels, made side by side through the generated
// stub's callback API.
#ifndef EXAMPLES_QUICKSTART_CALLS_H_
#define EXAMPLES_QUICKSTART_CALLS_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/time/time.h"
#include "interceptors/retrykit.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace quickstart {

// One call, and what became of it.
struct Call {
  grpc::ClientContext context;
  retrykit::CallScope scope{context};  // Keeps the report.
  retrykit::testing::EchoRequest request;
  retrykit::testing::EchoResponse response;
  grpc::Status status;
  absl::Time start;
  absl::Duration duration;
};

// `count` calls, on one channel.
class Calls {
 public:
  Calls(const std::shared_ptr<grpc::Channel>& channel, int count);

  // Starts the call with that number.
  void Start(int number);
  // Waits until all have ended.
  void Wait() { unfinished_.Wait(); }

  const std::vector<std::unique_ptr<Call>>& all() const { return calls_; }

 private:
  const std::unique_ptr<retrykit::testing::Echo::Stub> stub_;
  absl::BlockingCounter unfinished_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace quickstart

#endif  // EXAMPLES_QUICKSTART_CALLS_H_
