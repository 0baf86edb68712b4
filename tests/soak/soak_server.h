// The server of the soak: the echo service, each attempt of each call with a
// fate of its own.
//
// Thread-safety: all members may be called from any thread.
#ifndef TESTS_SOAK_SOAK_SERVER_H_
#define TESTS_SOAK_SOAK_SERVER_H_

#include <grpcpp/server.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "tests/support/loopback_port.h"

namespace retrykit {

// A call's id (kCallIdHeader) and the attempt's number decide its fate.
class SoakServer {
 public:
  explicit SoakServer(uint64_t seed);
  ~SoakServer();

  int port() const { return port_.number(); }
  // Attempts that have arrived.
  int64_t attempts() const;

 private:
  class Service;

  const LoopbackPort port_;
  const std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace retrykit

#endif  // TESTS_SOAK_SOAK_SERVER_H_
