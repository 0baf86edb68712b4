#include "interceptors/adapter/admitted_call.h"

#include <string>
#include <utility>
#include <variant>

#include "interceptors/adapter/client_context_access.h"
#include "interceptors/adapter/status_text.h"

namespace retrykit {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;

const FinishCall* FindFinish(const Actions& actions) {
  for (const Action& action : actions.list) {
    if (const auto* finish = std::get_if<FinishCall>(&action)) return finish;
  }
  return nullptr;
}

}  // namespace

AdmittedCall::AdmittedCall(std::shared_ptr<ChannelState> channel,
                           std::shared_ptr<const MethodState> method,
                           std::shared_ptr<CallScopeState> scope,
                           grpc::ClientContext* context)
    : record_(std::move(channel), std::move(method), std::move(scope)),
      context_(*context) {}

AdmittedCall::~AdmittedCall() {
  if (refused_) return;
  Tell(Step(CallCancelled{}), grpc::Status::CANCELLED);
}

void AdmittedCall::Intercept(InterceptorBatchMethods* methods) {
  if (methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_SEND_CANCEL)) {
    cancelled_.store(true);
    return;
  }
  if (methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_SEND_INITIAL_METADATA) &&
      !refused_ && !Admit(methods)) {
    return methods->Hijack();  // Re-enters, to be filled below.
  }
  if (refused_) {
    Refuse(methods);
  } else if (methods->QueryInterceptionHookPoint(
                 InterceptionHookPoints::POST_RECV_MESSAGE) &&
             methods->GetRecvMessage() != nullptr) {
    RecordMessage();
  }
  if (!refused_ && methods->QueryInterceptionHookPoint(
                       InterceptionHookPoints::POST_RECV_STATUS)) {
    RecordEnd(methods);
  }
  methods->Proceed();
}

// What a broken stream does: writes and reads fail, the status says why.
void AdmittedCall::Refuse(InterceptorBatchMethods* methods) {
  if (methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_SEND_MESSAGE)) {
    FailBatch(*methods);
  }
  CallResult result;
  result.status = *refused_;
  Fill(HeldBatch::Of(methods), result, *record_.method().codec);
}

// A stream's first message: a probe of the breaker's has succeeded.
void AdmittedCall::RecordMessage() {
  if (got_message_.exchange(true)) return;
  Tell(Step(MessageArrived{1}), grpc::Status::OK);
}

// On completion-queue streams PRE_SEND_INITIAL_METADATA comes again with every
// later write: the question is asked once.
bool AdmittedCall::Admit(InterceptorBatchMethods* methods) {
  {
    MutexLock lock(mu_);
    if (engine_) return true;
    engine_.emplace(record_.SetupFor(context_));
  }
  record_.AddIdempotencyKey(methods);
  const Actions actions = Step(CallStarted{});
  const FinishCall* finish = FindFinish(actions);
  if (finish == nullptr || finish->reason != Reason::kBreaker) {
    // A deadline that has passed is gRPC's to tell.
    Tell(actions, finish == nullptr ? grpc::Status::OK
                                    : StatusWithoutAttempt(finish->code));
    return true;
  }
  refused_ = record_.FinalStatus(*finish, nullptr, nullptr);
  Tell(actions, *refused_);
  return false;
}

void AdmittedCall::RecordEnd(InterceptorBatchMethods* methods) {
  const grpc::Status& status = *methods->GetRecvStatus();
  if (cancelled_.load() && status.error_code() == grpc::StatusCode::CANCELLED) {
    Tell(Step(CallCancelled{}), status, context_.peer());
    return;
  }
  Tell(Step(AttemptEnded{
           1, record_.Outcome(status, *methods->GetRecvTrailingMetadata())}),
       status, context_.peer());
}

Actions AdmittedCall::Step(const StepEvent& event) {
  const Instant now = record_.core().clock().Now();
  MutexLock lock(mu_);
  return engine_ ? engine_->Step(event, now) : Actions();
}

void AdmittedCall::Tell(const Actions& actions, const grpc::Status& status,
                        const std::string& peer) const {
  for (const CallEvent& event : actions.events)
    record_.Tell(event, status, peer);
  if (const FinishCall* finish = FindFinish(actions))
    record_.Complete(status, finish->reason);
}

}  // namespace retrykit
