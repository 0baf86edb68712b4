#include "tests/benchmark/brownout_server.h"

#include <grpcpp/client_context.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/support/real_time.h"

namespace retrykit {

const char kBrownoutControl[] = "control";

BrownoutServer::BrownoutServer(int capacity) : capacity_(capacity) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  if (server_ != nullptr && port_ != 0) return;
  std::fprintf(stderr, "the server does not start\n");
  std::exit(2);
}

BrownoutServer::~BrownoutServer() {
  server_->Shutdown(DeadlineIn(absl::ZeroDuration()));
}

std::string BrownoutServer::address() const {
  return absl::StrCat("127.0.0.1:", port_);
}

grpc::Status BrownoutServer::Unary(grpc::ServerContext*,
                                   const testing::EchoRequest* request,
                                   testing::EchoResponse* response) {
  if (request->id() == kBrownoutControl) {
    if (request->message() != "count") down_ = request->message() == "down";
    response->set_message(absl::StrCat(attempts_.load()));
    return grpc::Status::OK;
  }
  ++attempts_;
  if (down_) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "down");
  const bool serves = ++busy_ <= capacity_;
  if (serves) LetPass(absl::Milliseconds(5));
  --busy_;
  return serves ? grpc::Status::OK
                : grpc::Status(grpc::StatusCode::UNAVAILABLE, "full");
}

int64_t OrderBrownout(testing::Echo::Stub& control, const std::string& order) {
  grpc::ClientContext context;
  testing::EchoRequest request;
  testing::EchoResponse response;
  request.set_id(kBrownoutControl);
  request.set_message(order);
  const grpc::Status status = control.Unary(&context, request, &response);
  if (status.ok()) return std::atoll(response.message().c_str());
  std::fprintf(stderr, "control: %s\n", status.error_message().c_str());
  std::exit(2);
}

}  // namespace retrykit
