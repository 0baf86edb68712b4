// Echo servers whose unary method is a function of the test's: the middle of a
// call chain.
//
//   SyncHandlerServer middle([&](grpc::ServerContext& context, const auto&...)
//       { ... call the next server ... });
//   ... a client calls middle.address() ...
//
// Thread-safety: handlers run on several threads at once.
// Lifetime: the destructor cancels the calls in flight and waits for their
// handlers.
#ifndef TESTS_SUPPORT_HANDLER_SERVER_H_
#define TESTS_SUPPORT_HANDLER_SERVER_H_

#include <grpcpp/server.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/support/loopback_port.h"

namespace retrykit {

// The handler may block: it runs on a thread of the synchronous server's pool.
class SyncHandlerServer : private testing::Echo::Service {
 public:
  using Handler = std::function<grpc::Status(grpc::ServerContext&,
                                             const testing::EchoRequest&,
                                             testing::EchoResponse&)>;

  explicit SyncHandlerServer(Handler handler);
  ~SyncHandlerServer() override;

  std::string address() const { return port_.address(); }

 private:
  grpc::Status Unary(grpc::ServerContext* context,
                     const testing::EchoRequest* request,
                     testing::EchoResponse* response) override;

  const Handler handler_;
  const LoopbackPort port_;
  const std::unique_ptr<grpc::Server> server_;
};

// The handler runs on gRPC's callback threads, and its status ends the call
// when it returns. A correct one would not block.
class CallbackHandlerServer : private testing::Echo::CallbackService {
 public:
  using Handler = std::function<grpc::Status(grpc::CallbackServerContext&,
                                             const testing::EchoRequest&,
                                             testing::EchoResponse&)>;

  explicit CallbackHandlerServer(Handler handler);
  ~CallbackHandlerServer() override;

  std::string address() const { return port_.address(); }

 private:
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context,
                                  const testing::EchoRequest* request,
                                  testing::EchoResponse* response) override;

  const Handler handler_;
  const LoopbackPort port_;
  const std::unique_ptr<grpc::Server> server_;
};

// Calls are served one after the other, on a thread and a completion queue of
// the server's own: the handler may block.
class QueueHandlerServer {
 public:
  using Handler = SyncHandlerServer::Handler;

  explicit QueueHandlerServer(Handler handler);
  ~QueueHandlerServer();

  std::string address() const { return port_.address(); }

 private:
  // Serves calls until the server is shut down.
  void Serve();

  const Handler handler_;
  const LoopbackPort port_;
  testing::Echo::AsyncService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_HANDLER_SERVER_H_
