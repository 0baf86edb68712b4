#include "tests/benchmark/overhead_variants.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/statusor.h"
#include "interceptors/prometheus_observer.h"
#include "interceptors/retrykit.h"
#include "prometheus/registry.h"

namespace retrykit {
namespace {

// gRPC's own retries hang now and then with less than 20 ms of backoff. The
// budget never refuses: a success gives back more than its failure took.
constexpr char kRetries[] = R"({
  "retryThrottling": {"maxTokens": 1000, "tokenRatio": 1.0},
  "methodConfig": [{
    "name": [{"service": "retrykit.testing.Echo"}],
    "retryPolicy": {
      "maxAttempts": 4, "initialBackoff": "0.02s", "maxBackoff": "0.02s",
      "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }]
})";

// No answer takes that long: no hedge is sent.
constexpr char kHedging[] = R"({
  "retryThrottling": {"maxTokens": 1000, "tokenRatio": 1.0},
  "methodConfig": [{
    "name": [{"service": "retrykit.testing.Echo"}],
    "hedgingPolicy": {
      "maxAttempts": 3, "hedgingDelay": "5s",
      "nonFatalStatusCodes": ["UNAVAILABLE"]
    }
  }]
})";

// A third of the calls fail in the failing workload: far from opening it.
constexpr char kAdmission[] = R"({
  "retryThrottling": {"maxTokens": 1000, "tokenRatio": 1.0},
  "methodConfig": [{
    "name": [{"service": "retrykit.testing.Echo"}],
    "retrykit": {"circuitBreaker": {"failureRateThreshold": 0.9}}
  }]
})";

grpc::ChannelArguments OwnConnection() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // It is the time for connecting too, and the machine may be busy.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20000);
  return arguments;
}

template <typename T>
T OrExit(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(2);
}

std::shared_ptr<grpc::Channel> CoreChannel(const std::string& address,
                                           const char* service_config) {
  grpc::ChannelArguments arguments = OwnConnection();
  if (service_config != nullptr) arguments.SetServiceConfigJSON(service_config);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

std::shared_ptr<grpc::Channel> RetrykitChannel(const std::string& address,
                                               const char* config,
                                               Options options = Options()) {
  const auto toolkit = OrExit(Toolkit::Create(
      OrExit(ServiceConfig::FromJson(config)), std::move(options)));
  return OrExit(toolkit->CreateChannel(
      address, grpc::InsecureChannelCredentials(), OwnConnection()));
}

Options WithPrometheus() {
  Options options;
  options.observers.push_back(
      OrExit(MakePrometheusObserver(std::make_shared<prometheus::Registry>())));
  return options;
}

}  // namespace

std::vector<Variant> MakeVariants(const std::string& address) {
  return {{"plain", CoreChannel(address, nullptr)},
          {"core_retries", CoreChannel(address, kRetries)},
          {"passthrough", RetrykitChannel(address, kAdmission)},
          {"retry", RetrykitChannel(address, kRetries)},
          {"retry_prometheus",
           RetrykitChannel(address, kRetries, WithPrometheus())},
          {"hedge", RetrykitChannel(address, kHedging)}};
}

}  // namespace retrykit
