// A server that can be stopped and started again on the same port.
//
// ServerStream is a watch: three events from the one that the request's
// message names, then silence until the server stops. ClientStream is an
// upload whose first attempt fails when two messages have come.
//
// Thread-safety: Start and Stop from one thread at a time.
#ifndef EXAMPLES_STREAMING_RESTARTING_SERVER_H_
#define EXAMPLES_STREAMING_RESTARTING_SERVER_H_

#include <grpcpp/server.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "proto/retrykit/testing/echo.grpc.pb.h"

class RestartingServer : private retrykit::testing::Echo::Service {
 public:
  RestartingServer();  // Chooses a port and does not listen on it yet.
  ~RestartingServer() override { Stop(); }

  std::string address() const;
  void Start();
  void Stop();

 private:
  using Request = retrykit::testing::EchoRequest;
  using Response = retrykit::testing::EchoResponse;

  grpc::Status ServerStream(grpc::ServerContext* context,
                            const Request* request,
                            grpc::ServerWriter<Response>* writer) override;
  grpc::Status ClientStream(grpc::ServerContext* context,
                            grpc::ServerReader<Request>* reader,
                            Response* response) override;
  void WaitForStop();

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::atomic<int> uploads_{0};
  std::mutex mu_;
  std::condition_variable changed_;
  bool stopping_ = false;
};

#endif  // EXAMPLES_STREAMING_RESTARTING_SERVER_H_
