// A fraction of a second of calls on one channel, and what they cost.
#ifndef TESTS_BENCHMARK_OVERHEAD_BLOCK_H_
#define TESTS_BENCHMARK_OVERHEAD_BLOCK_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace retrykit {

struct Load {
  std::string api;  // "sync", "cq", "callback".
  int threads = 1;  // Each makes one call after the other.
  bool failing = false;
};

struct Cost {
  double p50 = 0;          // Seconds.
  double throughput = 0;   // Calls per second, of all threads.
  double cpu = 0;          // Seconds of this process per call.
  double allocations = 0;  // Of this process per call.
  double failed = 0;       // Share of the calls that did not end with OK.
};

// What this process has used so far, in seconds.
double CpuSeconds();

// Calls for `length`, on threads of its own. Nothing else may run meanwhile.
Cost RunBlock(const std::shared_ptr<grpc::Channel>& channel, const Load& load,
              absl::Duration length);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_OVERHEAD_BLOCK_H_
