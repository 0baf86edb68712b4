#include "examples/quickstart/flaky_server.h"

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace quickstart {
namespace {

using retrykit::testing::Echo;
using retrykit::testing::EchoRequest;
using retrykit::testing::EchoResponse;

enum class Fate { kAnswer, kRefuse, kRefuseAndNameADelay, kHang };

// Decided by the call's id and the number of the attempt alone, so that calls
// beside it make no difference (FNV-1a, its bits mixed).
Fate FateOf(const std::string& id, int attempt) {
  uint32_t hash = 2166136261u;
  for (const char c : absl::StrCat(id, "/", attempt)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  hash ^= hash >> 15;
  switch (hash % 12) {
    case 0:
    case 1:
    case 2:
      return Fate::kRefuse;
    case 3:
      return Fate::kRefuseAndNameADelay;
    case 4:
      return Fate::kHang;
    default:
      return Fate::kAnswer;
  }
}

// retrykit counts earlier attempts in a header; without it, it is the first.
int AttemptOf(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto previous = metadata.find("x-retrykit-previous-attempts");
  if (previous == metadata.end()) return 1;
  return std::atoi(std::string(previous->second.data(), previous->second.size())
                       .c_str()) +
         1;
}

// Never answers; ends when the client has given up.
class Hanging final : public grpc::ServerUnaryReactor {
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

class Service final : public Echo::CallbackService {
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context,
                                  const EchoRequest* request,
                                  EchoResponse* response) override {
    const int attempt = AttemptOf(*context);
    const Fate fate = FateOf(request->id(), attempt);
    if (fate == Fate::kHang) return new Hanging();
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    if (fate == Fate::kAnswer) {
      response->set_message(request->message());
      response->set_attempt(attempt);
      reactor->Finish(grpc::Status::OK);
      return reactor;
    }
    if (fate == Fate::kRefuseAndNameADelay)
      context->AddTrailingMetadata("grpc-retry-pushback-ms", "120");
    reactor->Finish(
        grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too much to do"));
    return reactor;
  }
};

}  // namespace

int RunFlakyServer(const std::string& address) {
  Service service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    std::fprintf(stderr, "the server cannot start on %s\n", address.c_str());
    return 2;
  }
  server->Wait();
  return 0;
}

}  // namespace quickstart
