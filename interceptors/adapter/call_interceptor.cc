#include "interceptors/adapter/call_interceptor.h"

#include <atomic>
#include <utility>

#include "interceptors/adapter/admitted_call.h"
#include "interceptors/adapter/attempt_context.h"
#include "interceptors/adapter/driven_call.h"
#include "interceptors/adapter/stream_call.h"
#include "interceptors/adapter/unary_call.h"

namespace retrykit {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;
using Treatment = MethodState::Treatment;

bool Asks(InterceptorBatchMethods* methods, InterceptionHookPoints hook) {
  return methods->QueryInterceptionHookPoint(hook);
}

// Holds a place in gRPC's list, where an interceptor after it counts on that.
class PassThrough final : public Interceptor {
 public:
  void Intercept(InterceptorBatchMethods* methods) override {
    methods->Proceed();
  }
};

class Driven final : public Interceptor {
 public:
  Driven(std::shared_ptr<DrivenCall> call, grpc::ClientContext* context)
      : call_(std::move(call)), context_(*context) {}
  ~Driven() override { call_->Drop(); }

  void Intercept(InterceptorBatchMethods* methods) override {
    if (Asks(methods, InterceptionHookPoints::PRE_SEND_CANCEL))
      return call_->Cancel();
    // On completion-queue streams it comes again with every later write.
    if (Asks(methods, InterceptionHookPoints::PRE_SEND_INITIAL_METADATA) &&
        !begun_.exchange(true)) {
      return call_->Begin(methods, context_);
    }
    if (Asks(methods, InterceptionHookPoints::PRE_SEND_MESSAGE) ||
        Asks(methods, InterceptionHookPoints::PRE_SEND_CLOSE)) {
      return call_->Send(methods);
    }
    if (HeldBatch::Of(methods).wants_anything()) return call_->Hold(methods);
    if (!call_->Park(methods)) methods->Proceed();
  }

 private:
  const std::shared_ptr<DrivenCall> call_;
  grpc::ClientContext& context_;
  std::atomic<bool> begun_{false};
};

class Factory final : public ClientInterceptorFactoryInterface {
 public:
  explicit Factory(std::shared_ptr<ChannelState> channel)
      : channel_(std::move(channel)) {}

  Interceptor* CreateClientInterceptor(ClientRpcInfo* info) override {
    if (AttemptMark::IsOn(info->client_context())) return Transparent();
    std::shared_ptr<CallScopeState> scope =
        CallScopeTable::Take(info->client_context());
    std::shared_ptr<const MethodState> method =
        channel_->Find(*info, *info->channel());
    switch (TreatmentFor(*method, scope.get())) {
      case Treatment::kDriven:
        return Drive(*info, std::move(method), std::move(scope));
      case Treatment::kAdmission:
        return new AdmittedCall(channel_, std::move(method), std::move(scope),
                                info->client_context());
      case Treatment::kPassThrough:
        return Transparent();
    }
    return Transparent();
  }

 private:
  static Treatment TreatmentFor(const MethodState& method,
                                const CallScopeState* scope) {
    if (scope == nullptr || method.treatment == Treatment::kDriven) {
      return method.treatment;
    }
    return scope->overrides.needs_driving() ? Treatment::kDriven
                                            : Treatment::kAdmission;
  }

  Interceptor* Drive(ClientRpcInfo& info,
                     std::shared_ptr<const MethodState> method,
                     std::shared_ptr<CallScopeState> scope) {
    std::shared_ptr<grpc::Channel> owned = channel_->Own(info.channel());
    if (owned == nullptr) return Transparent();
    std::shared_ptr<DrivenCall> call;
    if (info.type() == ClientRpcInfo::Type::UNARY) {
      call = std::make_shared<UnaryCall>(channel_, std::move(method),
                                         std::move(scope), std::move(owned));
    } else {
      call = std::make_shared<StreamCall>(channel_, std::move(method),
                                          std::move(scope), std::move(owned));
    }
    return new Driven(std::move(call), info.client_context());
  }

  // No interceptor at all, unless one after ours counts positions.
  Interceptor* Transparent() const {
    return channel_->only_interceptor() ? nullptr : new PassThrough();
  }

  const std::shared_ptr<ChannelState> channel_;
};

}  // namespace

std::unique_ptr<ClientInterceptorFactoryInterface> MakeInterceptorFactory(
    std::shared_ptr<ChannelState> channel) {
  return std::make_unique<Factory>(std::move(channel));
}

}  // namespace retrykit
