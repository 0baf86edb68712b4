#include "examples/hedging/tail_server.h"

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace hedging {
namespace {

using retrykit::testing::Echo;
using retrykit::testing::EchoRequest;
using retrykit::testing::EchoResponse;

std::string PreviousAttempts(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("x-retrykit-previous-attempts");
  if (found == metadata.end()) return "0";
  return std::string(found->second.data(), found->second.size());
}

// 4 % of all attempts, decided by the call's id and the attempt's number, so
// that a hedge has its own luck and every run has the same (FNV-1a, its bits
// mixed).
bool IsSlow(const std::string& id, const std::string& attempt) {
  uint32_t hash = 2166136261u;
  for (const char c : absl::StrCat(id, "/", attempt)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  hash ^= hash >> 15;
  hash *= 2246822519u;
  hash ^= hash >> 13;
  return hash % 25 == 0;
}

// Answers after a while; no thread waits.
class Answer final : public grpc::ServerUnaryReactor {
 public:
  explicit Answer(std::chrono::milliseconds delay) {
    alarm_.Set(std::chrono::system_clock::now() + delay,
               [this](bool /*ok*/) { Finish(grpc::Status::OK); });
  }

 private:
  void OnDone() override { delete this; }

  grpc::Alarm alarm_;
};

class Service final : public Echo::CallbackService {
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context,
                                  const EchoRequest* request,
                                  EchoResponse* response) override {
    response->set_message(request->message());
    const bool slow = IsSlow(request->id(), PreviousAttempts(*context));
    return new Answer(std::chrono::milliseconds(slow ? 50 : 1));
  }
};

}  // namespace

int RunTailServer(const std::string& address) {
  Service service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    std::fprintf(stderr, "cannot listen on %s\n", address.c_str());
    return 2;
  }
  server->Wait();
  return 0;
}

}  // namespace hedging
