// Streams over a server that restarts: a watch, and an upload.
//
//   bazel run //examples/streaming
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "examples/streaming/restarting_server.h"
#include "interceptors/retrykit.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace {

using retrykit::testing::Echo;
using retrykit::testing::EchoRequest;
using retrykit::testing::EchoResponse;

constexpr char kConfig[] = R"json({
  "retryThrottling": {"maxTokens": 100, "tokenRatio": 0.1},
  "methodConfig": [{
    "name": [{"service": "retrykit.testing.Echo"}],
    "retryPolicy": {
      "maxAttempts": 5,
      "initialBackoff": "0.1s",
      "maxBackoff": "1s",
      "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    },
    "retrykit": {"jitter": "NONE"}
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

EchoRequest Saying(const std::string& message) {
  EchoRequest request;
  request.set_message(message);
  return request;
}

// Brings the server up a little later, as a restart does.
std::thread StartLater(RestartingServer& server) {
  return std::thread([&server] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::cout << "  the server is up\n";
    server.Start();
  });
}

// One watch. Until its first event it is retried without a word. Afterwards
// only the application knows what it has seen: the stream ends with the
// server. Returns the event to go on with.
int Watch(Echo::Stub& stub, RestartingServer& server, int next) {
  std::cout << "watch from event " << next << " while the server is down\n";
  std::thread restart = StartLater(server);
  grpc::ClientContext context;
  const auto reader = stub.ServerStream(&context, Saying(absl::StrCat(next)));
  EchoResponse event;
  for (int seen = 1; reader->Read(&event); ++seen) {
    std::cout << "  event " << event.message() << "\n";
    ++next;
    if (seen < 3) continue;
    restart.join();
    server.Stop();
  }
  if (restart.joinable()) restart.join();
  const grpc::Status status = reader->Finish();
  std::cout << "  the stream ends: "
            << (status.error_code() == grpc::StatusCode::UNAVAILABLE
                    ? "UNAVAILABLE"
                    : status.error_message())
            << "\n";
  return next;
}

// What is sent is kept until the response is there, and sent again.
void Upload(Echo::Stub& stub) {
  std::cout << "upload of three parts; the first attempt fails\n";
  grpc::ClientContext context;
  EchoResponse response;
  const auto writer = stub.ClientStream(&context, &response);
  for (const char* part : {"one", "two", "three"}) writer->Write(Saying(part));
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  std::cout << "  " << (status.ok() ? "OK" : status.error_message())
            << " on attempt " << response.attempt()
            << ", received: " << response.message() << "\n";
}

}  // namespace

int main() {
  RestartingServer server;
  const auto channel = OpenChannel(server.address());
  if (!channel.ok()) {
    std::cerr << channel.status() << "\n";
    return 1;
  }
  const auto stub = Echo::NewStub(*channel);
  // The loop that an application writes to resume.
  for (int next = 1; next <= 6;) next = Watch(*stub, server, next);
  server.Start();
  Upload(*stub);
  return 0;
}
