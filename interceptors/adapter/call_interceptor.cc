#include "interceptors/adapter/call_interceptor.h"

#include <atomic>
#include <utility>

#include "interceptors/adapter/admitted_call.h"
#include "interceptors/adapter/unary_attempt.h"
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
  Driven(std::shared_ptr<UnaryCall> call, grpc::ClientContext* context)
      : call_(std::move(call)), context_(*context) {}
  ~Driven() override { call_->Drop(); }

  void Intercept(InterceptorBatchMethods* methods) override {
    if (Asks(methods, InterceptionHookPoints::PRE_SEND_CANCEL))
      return call_->Cancel();
    if (Asks(methods, InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      return call_->Begin(methods, context_);
    }
    if (HeldBatch::Of(methods).wants_anything()) return call_->Hold(methods);
    methods->Proceed();
  }

 private:
  const std::shared_ptr<UnaryCall> call_;
  grpc::ClientContext& context_;
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
    switch (TreatmentFor(*method, scope.get(), info->type())) {
      case Treatment::kDriven:
        if (auto owned = channel_->Own(info->channel())) {
          return new Driven(
              std::make_shared<UnaryCall>(channel_, std::move(method),
                                          std::move(scope), std::move(owned)),
              info->client_context());
        }
        return Transparent();
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
                                const CallScopeState* scope,
                                ClientRpcInfo::Type type) {
    if (scope == nullptr || method.treatment == Treatment::kDriven)
      return method.treatment;
    const bool drive =
        type == ClientRpcInfo::Type::UNARY && scope->overrides.needs_driving();
    return drive ? Treatment::kDriven : Treatment::kAdmission;
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
