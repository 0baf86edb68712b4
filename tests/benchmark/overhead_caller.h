// One call after the other through one of the stub's APIs.
#ifndef TESTS_BENCHMARK_OVERHEAD_CALLER_H_
#define TESTS_BENCHMARK_OVERHEAD_CALLER_H_

#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace retrykit {

// Thread-safety: one thread each.
class Caller {
 public:
  virtual ~Caller() = default;

  struct Result {
    absl::Duration latency;  // Until the application had the result.
    grpc::Status status;
  };
  // Makes one call and waits for its end.
  virtual Result Call(const testing::EchoRequest& request) = 0;
};

// `api` is "sync", "cq" or "callback"; the stub must outlive the caller.
std::unique_ptr<Caller> MakeCaller(const std::string& api,
                                   testing::Echo::Stub& stub);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_OVERHEAD_CALLER_H_
