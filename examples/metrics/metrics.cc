// A client whose calls often fail at first, and its metrics on a loopback port,
// as Prometheus reads them.
//
//   bazel run //examples/metrics -- --seconds=60
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "interceptors/prometheus_endpoint.h"
#include "interceptors/prometheus_observer.h"
#include "interceptors/retrykit.h"
#include "prometheus/registry.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

ABSL_FLAG(std::string, metrics, "127.0.0.1:9464",
          "where the metrics are served; port 0: any free one");
ABSL_FLAG(int, calls, 40, "how many calls are made");
ABSL_FLAG(int, seconds, 0, "how long the metrics are served after the calls");

namespace {

using retrykit::testing::Echo;
using retrykit::testing::EchoRequest;
using retrykit::testing::EchoResponse;

constexpr char kConfig[] = R"({
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.5},
  "methodConfig": [{
    "name": [{"service": "retrykit.testing.Echo"}],
    "retryPolicy": {
      "maxAttempts": 4, "initialBackoff": "0.01s", "maxBackoff": "0.05s",
      "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]
    },
    "retrykit": {"circuitBreaker": {"consecutiveFailures": 20}}
  }]
})";

// Refuses every fourth call once.
class FlakyEcho final : public Echo::Service {
 public:
  grpc::Status Unary(grpc::ServerContext* context, const EchoRequest* request,
                     EchoResponse* response) override {
    const bool first =
        context->client_metadata().count("x-retrykit-previous-attempts") == 0;
    if (first && absl::EndsWith(request->message(), "flaky")) {
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "try again");
    }
    response->set_message(request->message());
    return grpc::Status::OK;
  }
};

int MakeCalls(Echo::Stub& stub, int calls) {
  int ok = 0;
  for (int i = 0; i < calls; ++i) {
    grpc::ClientContext context;
    EchoRequest request;
    request.set_message(i % 4 == 3 ? "flaky" : "fine");
    EchoResponse response;
    if (stub.Unary(&context, request, &response).ok()) ++ok;
  }
  return ok;
}

int Run() {
  const auto registry = std::make_shared<prometheus::Registry>();
  const auto observer = retrykit::MakePrometheusObserver(registry);
  // A busy port is told of, and the program goes on without.
  const auto endpoint = retrykit::PrometheusEndpoint::Start(
      absl::GetFlag(FLAGS_metrics), registry);
  if (endpoint.ok()) {
    absl::PrintF("metrics: http://127.0.0.1:%d/metrics\n", (*endpoint)->port());
  } else {
    absl::FPrintF(stderr, "%s\n", endpoint.status().ToString());
  }

  FlakyEcho service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();

  retrykit::Options options;
  if (observer.ok()) options.observers.push_back(*observer);
  const auto config = retrykit::ServiceConfig::FromJson(kConfig);
  if (!config.ok() || server == nullptr) return 2;
  const auto toolkit = retrykit::Toolkit::Create(*config, options);
  if (!toolkit.ok()) return 2;
  const auto channel =
      (*toolkit)->CreateChannel(absl::StrFormat("127.0.0.1:%d", port),
                                grpc::InsecureChannelCredentials());
  if (!channel.ok()) return 2;
  const auto stub = Echo::NewStub(*channel);
  const int calls = absl::GetFlag(FLAGS_calls);
  absl::PrintF("calls=%d ok=%d\n", calls, MakeCalls(*stub, calls));
  std::fflush(stdout);
  absl::SleepFor(absl::Seconds(absl::GetFlag(FLAGS_seconds)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return Run();
}
