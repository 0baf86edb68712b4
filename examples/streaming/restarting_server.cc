#include "examples/streaming/restarting_server.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

RestartingServer::RestartingServer() {
  Start();
  Stop();
}

std::string RestartingServer::address() const {
  return absl::StrCat("127.0.0.1:", port_);
}

void RestartingServer::Start() {
  {
    std::lock_guard<std::mutex> lock(mu_);
    stopping_ = false;
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials(),
                           &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) std::abort();
}

void RestartingServer::Stop() {
  if (server_ == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(mu_);
    stopping_ = true;
    changed_.notify_all();
  }
  server_->Shutdown();
  server_.reset();
}

void RestartingServer::WaitForStop() {
  std::unique_lock<std::mutex> lock(mu_);
  changed_.wait(lock, [this] { return stopping_; });
}

grpc::Status RestartingServer::ServerStream(
    grpc::ServerContext*, const Request* request,
    grpc::ServerWriter<Response>* writer) {
  const int first = std::atoi(request->message().c_str());
  for (int event = first; event < first + 3; ++event) {
    Response response;
    response.set_message(absl::StrCat(event));
    writer->Write(response);
  }
  WaitForStop();
  return grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarting");
}

grpc::Status RestartingServer::ClientStream(grpc::ServerContext*,
                                            grpc::ServerReader<Request>* reader,
                                            Response* response) {
  const int attempt = ++uploads_;
  Request request;
  for (int count = 1; reader->Read(&request); ++count) {
    absl::StrAppend(response->mutable_message(), count > 1 ? " " : "",
                    request.message());
    if (attempt == 1 && count == 2) {
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarting");
    }
  }
  response->set_attempt(attempt);
  return grpc::Status::OK;
}
