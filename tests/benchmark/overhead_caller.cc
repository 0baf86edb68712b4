#include "tests/benchmark/overhead_caller.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"

namespace retrykit {
namespace {

Instant Now() { return MonotonicClock().Now(); }

class SyncCaller final : public Caller {
 public:
  explicit SyncCaller(testing::Echo::Stub& stub) : stub_(stub) {}

  absl::Duration Call(const testing::EchoRequest& request) override {
    grpc::ClientContext context;
    testing::EchoResponse response;
    const Instant start = Now();
    stub_.Unary(&context, request, &response);
    return Now() - start;
  }

 private:
  testing::Echo::Stub& stub_;
};

class QueueCaller final : public Caller {
 public:
  explicit QueueCaller(testing::Echo::Stub& stub) : stub_(stub) {}
  ~QueueCaller() override {
    queue_.Shutdown();
    WaitForTag();
  }

  absl::Duration Call(const testing::EchoRequest& request) override {
    grpc::ClientContext context;
    testing::EchoResponse response;
    grpc::Status status;
    const Instant start = Now();
    const auto reader = stub_.AsyncUnary(&context, request, &queue_);
    reader->Finish(&response, &status, this);
    WaitForTag();
    return Now() - start;
  }

 private:
  void WaitForTag() {
    void* tag = nullptr;
    bool ok = false;
    queue_.Next(&tag, &ok);
  }

  testing::Echo::Stub& stub_;
  grpc::CompletionQueue queue_;
};

class CallbackCaller final : public Caller {
 public:
  explicit CallbackCaller(testing::Echo::Stub& stub) : stub_(stub) {}

  absl::Duration Call(const testing::EchoRequest& request) override {
    grpc::ClientContext context;
    testing::EchoResponse response;
    const Instant start = Now();
    stub_.async()->Unary(&context, &request, &response,
                         [this](const grpc::Status&) { Finish(Now()); });
    return WaitForEnd() - start;
  }

 private:
  void Finish(Instant end) {
    MutexLock lock(mu_);
    end_ = end;
    finished_ = true;
    changed_.NotifyOne();
  }

  Instant WaitForEnd() {
    MutexLock lock(mu_);
    while (!finished_) changed_.Wait(mu_);
    finished_ = false;
    return end_;
  }

  testing::Echo::Stub& stub_;
  Mutex mu_;
  CondVar changed_;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  Instant end_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::unique_ptr<Caller> MakeCaller(const std::string& api,
                                   testing::Echo::Stub& stub) {
  if (api == "cq") return std::make_unique<QueueCaller>(stub);
  if (api == "callback") return std::make_unique<CallbackCaller>(stub);
  return std::make_unique<SyncCaller>(stub);
}

}  // namespace retrykit
