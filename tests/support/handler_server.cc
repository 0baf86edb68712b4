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

QueueHandlerServer::QueueHandlerServer(Handler handler)
    : handler_(std::move(handler)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(port_.address(), grpc::InsecureServerCredentials());
  builder.RegisterService(&service_);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  thread_ = std::thread([this] { Serve(); });
}

QueueHandlerServer::~QueueHandlerServer() {
  Stop(*server_);
  thread_.join();
  queue_->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
  }
}

void QueueHandlerServer::Serve() {
  while (true) {
    grpc::ServerContext context;
    testing::EchoRequest request;
    testing::EchoResponse response;
    grpc::ServerAsyncResponseWriter<testing::EchoResponse> writer(&context);
    void* tag = nullptr;
    bool ok = false;
    service_.RequestUnary(&context, &request, &writer, queue_.get(),
                          queue_.get(), &context);
    if (!queue_->Next(&tag, &ok) || !ok) return;
    writer.Finish(response, handler_(context, request, response), &context);
    queue_->Next(&tag, &ok);
  }
}

}  // namespace retrykit
