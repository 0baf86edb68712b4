// The ways to make the same call.
#ifndef TESTS_BENCHMARK_OVERHEAD_VARIANTS_H_
#define TESTS_BENCHMARK_OVERHEAD_VARIANTS_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

namespace retrykit {

struct Variant {
  // "plain": nothing at all. "core_retries": gRPC's own, with the same policy.
  // "passthrough": retrykit with a circuit breaker and a budget, so that each
  // call is asked for and recorded. "retry": retrykit with a retry policy.
  // "hedge": with a hedging policy whose delay never passes.
  // "retry_prometheus": "retry" with a Prometheus observer.
  std::string name;
  std::shared_ptr<grpc::Channel> channel;
};

// Each with a connection of its own, "plain" first.
std::vector<Variant> MakeVariants(const std::string& address);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_OVERHEAD_VARIANTS_H_
