#include "examples/chain/servers.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "interceptors/retrykit.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace chain {
namespace {

using retrykit::testing::Echo;
using retrykit::testing::EchoRequest;
using retrykit::testing::EchoResponse;

absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(
    const std::string& target, const std::string& config) {
  auto toolkit = retrykit::Toolkit::FromFile(config);
  if (!toolkit.ok()) return toolkit.status();
  return (*toolkit)->CreateChannel(target, grpc::InsecureChannelCredentials());
}

int Serve(grpc::Service& service, const std::string& address) {
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

class Failing final : public Echo::Service {
  grpc::Status Unary(grpc::ServerContext*, const EchoRequest* request,
                     EchoResponse* response) override {
    if (request->id() != kCount) {
      attempts_.fetch_add(1);
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "out of order");
    }
    response->set_message(absl::StrCat(attempts_.load()));
    return grpc::Status::OK;
  }

  std::atomic<int> attempts_{0};
};

class Layer final : public Echo::Service {
 public:
  Layer(std::shared_ptr<grpc::Channel> next, bool stop_upstream)
      : next_(Echo::NewStub(std::move(next))), stop_upstream_(stop_upstream) {}

 private:
  grpc::Status Unary(grpc::ServerContext* inbound, const EchoRequest* request,
                     EchoResponse* response) override {
    grpc::ClientContext outgoing;
    retrykit::ContinueFrom(*inbound, &outgoing);
    const grpc::Status status = next_->Unary(&outgoing, *request, response);
    if (!status.ok() && stop_upstream_) retrykit::StopUpstreamRetries(inbound);
    return status;
  }

  const std::unique_ptr<Echo::Stub> next_;
  const bool stop_upstream_;
};

}  // namespace

const char kCount[] = "how many";

int RunFailingServer(const std::string& address) {
  Failing service;
  return Serve(service, address);
}

int RunLayer(const std::string& address, const std::string& next,
             const std::string& config, bool stop_upstream) {
  auto channel = OpenChannel(next, config);
  if (!channel.ok()) {
    std::fprintf(stderr, "%s\n", channel.status().ToString().c_str());
    return 2;
  }
  Layer service(*std::move(channel), stop_upstream);
  return Serve(service, address);
}

}  // namespace chain
