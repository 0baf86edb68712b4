#include "tests/support/interceptors.h"

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interceptors/core/mutex.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/support/echo_call.h"

namespace retrykit {

namespace {

using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

class FunctionFactory : public InterceptorFactory {
 public:
  explicit FunctionFactory(std::function<Interceptor*(ClientRpcInfo*)> create)
      : create_(std::move(create)) {}

  Interceptor* CreateClientInterceptor(ClientRpcInfo* info) override {
    return create_(info);
  }

 private:
  const std::function<Interceptor*(ClientRpcInfo*)> create_;
};

bool Has(InterceptorBatchMethods* methods, InterceptionHookPoints hook) {
  return methods->QueryInterceptionHookPoint(hook);
}

class Counting : public Interceptor {
 public:
  explicit Counting(std::shared_ptr<AttemptCounter> counter)
      : counter_(std::move(counter)) {
    ++counter_->created;
  }

  void Intercept(InterceptorBatchMethods* methods) override {
    if (Has(methods, InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      ++counter_->starts;
    }
    if (Has(methods, InterceptionHookPoints::PRE_SEND_MESSAGE) &&
        methods->GetSendMessage() != nullptr) {
      ++counter_->typed_requests;
    }
    if (Has(methods, InterceptionHookPoints::POST_RECV_STATUS)) {
      ++counter_->ends;
    }
    methods->Proceed();
  }

 private:
  const std::shared_ptr<AttemptCounter> counter_;
};

// Hijacks at once, holds what the caller wants to receive, and fills it when
// its own call has ended.
class Reissuing : public Interceptor {
 public:
  Reissuing(ClientRpcInfo* info, std::shared_ptr<AttemptCounter> counter)
      : method_(info->method()), counter_(std::move(counter)) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (Has(methods, InterceptionHookPoints::PRE_SEND_CANCEL)) {
      return context_.TryCancel();
    }
    if (Has(methods, InterceptionHookPoints::PRE_SEND_INITIAL_METADATA) &&
        !std::exchange(started_, true)) {
      ++counter_->starts;
      Start(methods);
      return methods->Hijack();
    }
    {
      MutexLock lock(mu_);
      if (!done_) return held_.push_back(methods);
    }
    Fill(methods);
  }

 private:
  void Start(InterceptorBatchMethods* methods) {
    for (const auto& [key, value] : *methods->GetSendInitialMetadata()) {
      context_.AddMetadata(key, std::string(value.data(), value.size()));
    }
    request_ = *methods->GetSerializedSendMessage();
    stub_ = std::make_unique<grpc::GenericStub>(
        std::shared_ptr<grpc::ChannelInterface>(
            methods->GetInterceptedChannel()));
    stub_->UnaryCall(
        &context_, method_, grpc::StubOptions(), &request_, &response_,
        [this](grpc::Status status) { OnDone(std::move(status)); });
  }

  void OnDone(grpc::Status status) {
    std::vector<InterceptorBatchMethods*> held;
    {
      MutexLock lock(mu_);
      status_ = std::move(status);
      done_ = true;
      held.swap(held_);
    }
    // After the last one `this` may be gone.
    for (InterceptorBatchMethods* methods : held) Fill(methods);
  }

  void Fill(InterceptorBatchMethods* methods) {
    if (Has(methods, InterceptionHookPoints::PRE_RECV_MESSAGE)) {
      if (status_.ok()) {
        *static_cast<grpc::ByteBuffer*>(methods->GetRecvMessage()) = response_;
      } else {
        methods->FailHijackedRecvMessage();
      }
    }
    if (Has(methods, InterceptionHookPoints::PRE_RECV_STATUS)) {
      *methods->GetRecvTrailingMetadata() =
          context_.GetServerTrailingMetadata();
      *methods->GetRecvStatus() = status_;
    }
    methods->Proceed();
  }

  const std::string method_;
  const std::shared_ptr<AttemptCounter> counter_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  bool started_ = false;

  Mutex mu_;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<InterceptorBatchMethods*> held_ ABSL_GUARDED_BY(mu_);
  grpc::Status status_;  // Stands once done_.
};

class TokenFetcher final : public Interceptor {
 public:
  explicit TokenFetcher(std::shared_ptr<grpc::Channel> channel)
      : stub_(testing::Echo::NewStub(std::move(channel))) {}

  // The headers may come again with later writes of a stream.
  void Intercept(InterceptorBatchMethods* methods) override {
    if (!methods->QueryInterceptionHookPoint(
            InterceptionHookPoints::PRE_SEND_INITIAL_METADATA) ||
        std::exchange(asked_, true)) {
      return methods->Proceed();
    }
    stub_->async()->Unary(
        &context_, &request_, &response_, [this, methods](grpc::Status status) {
          methods->GetSendInitialMetadata()->emplace(
              "token", status.ok() ? response_.message() : "none");
          methods->Proceed();
        });
  }

 private:
  const std::unique_ptr<testing::Echo::Stub> stub_;
  grpc::ClientContext context_;
  const testing::EchoRequest request_ = RequestFor("token");
  testing::EchoResponse response_;
  bool asked_ = false;
};

}  // namespace

std::unique_ptr<InterceptorFactory> FactoryOf(
    std::function<Interceptor*(ClientRpcInfo*)> create) {
  return std::make_unique<FunctionFactory>(std::move(create));
}

std::unique_ptr<InterceptorFactory> CountingFactory(
    std::shared_ptr<AttemptCounter> counter) {
  return FactoryOf([counter](ClientRpcInfo*) { return new Counting(counter); });
}

std::unique_ptr<InterceptorFactory> ReissuingFactory(
    std::shared_ptr<AttemptCounter> counter) {
  return FactoryOf(
      [counter](ClientRpcInfo* info) { return new Reissuing(info, counter); });
}

std::unique_ptr<InterceptorFactory> TokenFetchingFactory(
    const std::shared_ptr<grpc::Channel>& channel) {
  return FactoryOf([&channel](ClientRpcInfo*) -> Interceptor* {
    return new TokenFetcher(channel);
  });
}

std::unique_ptr<InterceptorFactory> CensusContexts::Factory() {
  return FactoryOf([this](ClientRpcInfo* info) -> Interceptor* {
    MutexLock lock(mu_);
    seen_.push_back(info->client_context()->census_context());
    return nullptr;
  });
}

std::vector<const void*> CensusContexts::seen() const {
  MutexLock lock(mu_);
  return seen_;
}

}  // namespace retrykit
