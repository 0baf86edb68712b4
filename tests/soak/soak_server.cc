#include "tests/soak/soak_server.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/support/metadata.h"
#include "tests/support/real_time.h"
#include "tests/support/scripted_server.h"
#include "tests/support/seeded_random.h"

namespace retrykit {

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;
using testing::EchoRequest;
using testing::EchoResponse;

namespace {

struct Fate {
  Status status;                                // How it ends.
  absl::Duration delay = absl::ZeroDuration();  // Before anything is sent.
  bool silent = false;                          // Never answers.
  int messages_first = 0;                       // Sent before it fails.
  std::string pushback;                         // In the trailers.
};

constexpr StatusCode kFailures[] = {
    StatusCode::UNAVAILABLE, StatusCode::UNAVAILABLE, StatusCode::ABORTED,
    StatusCode::RESOURCE_EXHAUSTED, StatusCode::INVALID_ARGUMENT};
const char* const kPushbacks[] = {"5", "-1", "nonsense"};

// Of 100 attempts: 77 succeed, 9 of them late; 18 fail, a third after some
// messages and one in six with a pushback; 5 never answer.
Fate DrawFate(SeededRandom& random) {
  Fate fate;
  const uint64_t kind = random() % 100;
  if (kind >= 95) fate.silent = true;
  if (kind < 18) {
    fate.status = Status(kFailures[random() % 5], "soak");
    if (kind < 6) fate.messages_first = static_cast<int>(random() % 3);
    if (kind % 6 == 0) fate.pushback = kPushbacks[random() % 3];
  } else if (kind < 27) {
    fate.delay = absl::Milliseconds(random() % 300);
  }
  return fate;
}

}  // namespace

class SoakServer::Service final : public testing::Echo::Service {
 public:
  explicit Service(uint64_t seed) : seed_(seed) {}

  int64_t attempts() const { return attempts_; }

  Status Unary(ServerContext* context, const EchoRequest* request,
               EchoResponse* response) override {
    response->set_message(request->message());
    response->set_payload(request->payload());
    return End(*context, Begin(*context));
  }

  // Answers "0", "1", ... as many as the request's message says.
  Status ServerStream(ServerContext* context, const EchoRequest* request,
                      grpc::ServerWriter<EchoResponse>* writer) override {
    const Fate fate = Begin(*context);
    const int wanted = std::atoi(request->message().c_str());
    const int count = fate.status.ok() ? wanted : fate.messages_first;
    EchoResponse response;
    response.set_payload(request->payload());
    for (int i = 0; i < count && !fate.silent; ++i) {
      response.set_message(absl::StrCat(i));
      if (!writer->Write(response)) break;
    }
    return End(*context, fate);
  }

  // Answers with the messages in one.
  Status ClientStream(ServerContext* context,
                      grpc::ServerReader<EchoRequest>* reader,
                      EchoResponse* response) override {
    const Fate fate = Begin(*context);
    if (fate.messages_first > 0) return End(*context, fate);
    EchoRequest request;
    while (reader->Read(&request)) {
      absl::StrAppend(response->mutable_message(), request.message(), ",");
    }
    return End(*context, fate);
  }

  Status Bidi(
      ServerContext* context,
      grpc::ServerReaderWriter<EchoResponse, EchoRequest>* stream) override {
    const Fate fate = Begin(*context);
    EchoRequest request;
    EchoResponse response;
    for (int i = 0; stream->Read(&request); ++i) {
      if (!fate.status.ok() && i >= fate.messages_first) break;
      response.set_message(request.message());
      if (!fate.silent && !stream->Write(response)) break;
    }
    return End(*context, fate);
  }

 private:
  Fate Begin(const ServerContext& context) {
    ++attempts_;
    const Metadata metadata = CopyOf(context.client_metadata());
    const std::string key =
        absl::StrCat(ValueOf(metadata, kCallIdHeader), "/",
                     ValueOf(metadata, "x-retrykit-previous-attempts"));
    SeededRandom random(seed_ ^ std::hash<std::string>()(key));
    const Fate fate = DrawFate(random);
    WaitOut(context, fate.delay);
    return fate;
  }

  static Status End(ServerContext& context, const Fate& fate) {
    if (fate.silent) WaitOut(context, absl::InfiniteDuration());
    if (!fate.pushback.empty()) {
      context.AddTrailingMetadata("grpc-retry-pushback-ms", fate.pushback);
    }
    return fate.status;
  }

  // At most until the client has given up.
  static void WaitOut(const ServerContext& context, absl::Duration delay) {
    constexpr absl::Duration kStep = absl::Milliseconds(5);
    while (delay > absl::ZeroDuration() && !context.IsCancelled()) {
      LetPass(std::min(delay, kStep));
      delay -= kStep;
    }
  }

  const uint64_t seed_;
  std::atomic<int64_t> attempts_{0};
};

SoakServer::SoakServer(uint64_t seed)
    : service_(std::make_unique<Service>(seed)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(port_.address(), grpc::InsecureServerCredentials());
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ != nullptr) return;
  std::fprintf(stderr, "cannot listen on %s\n", port_.address().c_str());
  std::abort();
}

SoakServer::~SoakServer() {
  server_->Shutdown(DeadlineIn(absl::ZeroDuration()));
}

int64_t SoakServer::attempts() const { return service_->attempts(); }

}  // namespace retrykit
