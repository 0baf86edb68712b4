// The least that a program writes: a config, a toolkit, a channel. Whatever
// generated stub is put on the channel, its calls are retried as the config
// says.
//
//   bazel run //examples/minimal -- dns:///localhost:50051

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "interceptors/retrykit.h"

namespace {

// Every method may be tried three times; a tenth of the successes pays for
// retries.
constexpr char kConfig[] = R"json({
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
  "methodConfig": [{
    "name": [{}],
    "timeout": "2s",
    "retryPolicy": {
      "maxAttempts": 3,
      "initialBackoff": "0.05s",
      "maxBackoff": "1s",
      "backoffMultiplier": 1.5,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }]
})json";

absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(
    const std::string& target) {
  auto config = retrykit::ServiceConfig::FromJson(kConfig);
  if (!config.ok()) return config.status();
  auto toolkit = retrykit::Toolkit::Create(*std::move(config));
  if (!toolkit.ok()) return toolkit.status();
  return (*toolkit)->CreateChannel(target, grpc::InsecureChannelCredentials());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string target = argc > 1 ? argv[1] : "dns:///localhost:50051";
  const auto channel = OpenChannel(target);
  if (!channel.ok()) {
    std::cerr << channel.status() << "\n";
    return 1;
  }
  std::cout << "Ready: a channel to " << target << " with retries\n";
  return 0;
}
