// The server of the brown-out: it serves so many calls at a time, 5 ms each,
// and answers UNAVAILABLE to the others and, while it is down, to all.
#ifndef TESTS_BENCHMARK_BROWNOUT_SERVER_H_
#define TESTS_BENCHMARK_BROWNOUT_SERVER_H_

#include <grpcpp/server.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace retrykit {

// A request with this id is an order, its message "down", "up" or "count"; the
// answer is the number of attempts that have arrived so far, orders left out.
extern const char kBrownoutControl[];

// Thread-safety: any thread.
class BrownoutServer final : private testing::Echo::Service {
 public:
  explicit BrownoutServer(int capacity = 8);
  ~BrownoutServer() override;

  int port() const { return port_; }
  std::string address() const;

 private:
  grpc::Status Unary(grpc::ServerContext* context,
                     const testing::EchoRequest* request,
                     testing::EchoResponse* response) override;

  const int capacity_;
  int port_ = 0;
  std::atomic<int64_t> attempts_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> down_{false};
  std::unique_ptr<grpc::Server> server_;
};

// Gives the order over a channel of its own.
int64_t OrderBrownout(testing::Echo::Stub& control, const std::string& order);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_BROWNOUT_SERVER_H_
