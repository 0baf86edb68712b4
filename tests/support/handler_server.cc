#include "tests/support/handler_server.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <utility>

#include "tests/support/real_time.h"

namespace retrykit {

namespace {

std::unique_ptr<grpc::Server> Start(const LoopbackPort& port,
                                    grpc::Service& service) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(port.address(), grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  return builder.BuildAndStart();
}

void Stop(grpc::Server& server) {
  server.Shutdown(DeadlineIn(absl::ZeroDuration()));
  server.Wait();
}

}  // namespace

SyncHandlerServer::SyncHandlerServer(Handler handler)
    : handler_(std::move(handler)), server_(Start(port_, *this)) {}

SyncHandlerServer::~SyncHandlerServer() { Stop(*server_); }

grpc::Status SyncHandlerServer::Unary(grpc::ServerContext* context,
                                      const testing::EchoRequest* request,
                                      testing::EchoResponse* response) {
  return handler_(*context, *request, *response);
}

CallbackHandlerServer::CallbackHandlerServer(Handler handler)
    : handler_(std::move(handler)), server_(Start(port_, *this)) {}

CallbackHandlerServer::~CallbackHandlerServer() { Stop(*server_); }

grpc::ServerUnaryReactor* CallbackHandlerServer::Unary(
    grpc::CallbackServerContext* context, const testing::EchoRequest* request,
    testing::EchoResponse* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(handler_(*context, *request, *response));
  return reactor;
}

}  // namespace retrykit
