#include "tests/benchmark/overhead_caller.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <utility>

#include "absl/types/optional.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"

namespace retrykit {
namespace {

Instant Now() { return MonotonicClock().Now(); }

class SyncCaller final : public Caller {
 public:
  explicit SyncCaller(testing::Echo::Stub& stub) : stub_(stub) {}

  Result Call(const testing::EchoRequest& request) override {
    grpc::ClientContext context;
    testing::EchoResponse response;
    const Instant start = Now();
    const grpc::Status status = stub_.Unary(&context, request, &response);
    return {Now() - start, status};
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

  Result Call(const testing::EchoRequest& request) override {
    grpc::ClientContext context;
    testing::EchoResponse response;
    grpc::Status status;
    const Instant start = Now();
    const auto reader = stub_.AsyncUnary(&context, request, &queue_);
    reader->Finish(&response, &status, this);
    WaitForTag();
    return {Now() - start, status};
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

  Result Call(const testing::EchoRequest& request) override {
    grpc::ClientContext context;
    testing::EchoResponse response;
    const Instant start = Now();
    stub_.async()->Unary(&context, &request, &response,
                         [this, start](grpc::Status status) {
                           Finish({Now() - start, std::move(status)});
                         });
    return WaitForResult();
  }

 private:
  void Finish(Result result) {
    MutexLock lock(mu_);
    result_ = std::move(result);
    changed_.NotifyOne();
  }

  Result WaitForResult() {
    MutexLock lock(mu_);
    while (!result_) changed_.Wait(mu_);
    Result result = *std::move(result_);
    result_ = absl::nullopt;
    return result;
  }

  testing::Echo::Stub& stub_;
  Mutex mu_;
  CondVar changed_;
  absl::optional<Result> result_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::unique_ptr<Caller> MakeCaller(const std::string& api,
                                   testing::Echo::Stub& stub) {
  if (api == "cq") return std::make_unique<QueueCaller>(stub);
  if (api == "callback") return std::make_unique<CallbackCaller>(stub);
  return std::make_unique<SyncCaller>(stub);
}

}  // namespace retrykit
