// A fraction of a second of one stream on one channel, and what its messages
// cost.
#ifndef TESTS_BENCHMARK_STREAMS_BLOCK_H_
#define TESTS_BENCHMARK_STREAMS_BLOCK_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "tests/benchmark/overhead_block.h"

namespace retrykit {

struct StreamLoad {
  std::string kind;  // "server_stream", "client_stream", "ping_pong".
  int bytes = 64;    // Of a message's payload.
  std::string api;   // "sync", "cq", "callback".
};

// Measured from the first message on: then a stream is committed, where there
// is anything to commit. Nothing else may run meanwhile.
Cost RunStreamBlock(const std::shared_ptr<grpc::Channel>& channel,
                    const StreamLoad& load, absl::Duration length);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_STREAMS_BLOCK_H_
