#include "tests/benchmark/overhead_server.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

namespace retrykit {
namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::perror(what);
  std::exit(2);
}

bool IsRetry(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  return metadata.count("x-retrykit-previous-attempts") > 0 ||
         metadata.count("grpc-previous-rpc-attempts") > 0;
}

bool Fails(const testing::EchoRequest& request) {
  int id = 0;
  return request.message() == kFailing && absl::SimpleAtoi(request.id(), &id) &&
         id % 3 == 0;
}

// Streams are served on threads of their own, the fastest way there is.
class Service final
    : public testing::Echo::WithCallbackMethod_Unary<testing::Echo::Service> {
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context,
                                  const testing::EchoRequest* request,
                                  testing::EchoResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    if (Fails(*request) && !IsRetry(*context)) {
      reactor->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "once"));
    } else {
      response->set_message(request->message());
      reactor->Finish(grpc::Status::OK);
    }
    return reactor;
  }

  // Sends the request's payload until the client goes.
  grpc::Status ServerStream(
      grpc::ServerContext*, const testing::EchoRequest* request,
      grpc::ServerWriter<testing::EchoResponse>* writer) override {
    testing::EchoResponse response;
    response.set_payload(request->payload());
    while (writer->Write(response)) {
    }
    return grpc::Status::OK;
  }
  grpc::Status ClientStream(grpc::ServerContext*,
                            grpc::ServerReader<testing::EchoRequest>* reader,
                            testing::EchoResponse*) override {
    testing::EchoRequest request;
    while (reader->Read(&request)) {
    }
    return grpc::Status::OK;
  }
  grpc::Status Bidi(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<testing::EchoResponse, testing::EchoRequest>*
          stream) override {
    testing::EchoRequest request;
    testing::EchoResponse response;
    while (stream->Read(&request)) {
      response.set_payload(request.payload());
      stream->Write(response);
    }
    return grpc::Status::OK;
  }
};

}  // namespace

const char kFailing[] = "every third call fails once";

void RunOverheadServer(int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // However the benchmark ends.
  Service service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  Check(server != nullptr && port != 0, "the server does not start");
  Check(write(pipe, &port, sizeof(port)) == sizeof(port), "write");
  server->Wait();
  std::exit(0);
}

OverheadServer::OverheadServer() {
  int pipe_ends[2] = {-1, -1};
  Check(pipe(pipe_ends) == 0, "pipe");
  std::string self = "/proc/self/exe";
  std::string flag = absl::StrCat("--serve=", pipe_ends[1]);
  process_ = fork();
  Check(process_ >= 0, "fork");
  if (process_ == 0) {
    char* arguments[] = {self.data(), flag.data(), nullptr};
    execv(self.c_str(), arguments);
    _exit(2);
  }
  close(pipe_ends[1]);
  int port = 0;
  Check(read(pipe_ends[0], &port, sizeof(port)) == sizeof(port),
        "the server does not start");
  close(pipe_ends[0]);
  address_ = absl::StrCat("127.0.0.1:", port);
}

OverheadServer::~OverheadServer() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace retrykit
