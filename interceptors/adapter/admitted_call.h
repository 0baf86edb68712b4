// A call that is only asked for at its start and recorded at its end: the
// circuit breaker and the budget need no attempt of our own.
//
// Refused by the breaker, it is hijacked and fails; nothing is sent.
//
// Thread-safety: hooks may come on several threads at once.
// Lifetime: owned by the call's ClientContext. Dropped without an end, it
// gives the breaker's permit back.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_ADMITTED_CALL_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_ADMITTED_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/call_record.h"
#include "interceptors/adapter/held_batch.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/call_engine.h"

namespace retrykit {

class AdmittedCall final : public grpc::experimental::Interceptor {
 public:
  AdmittedCall(std::shared_ptr<ChannelState> channel,
               std::shared_ptr<const MethodState> method,
               std::shared_ptr<CallScopeState> scope,
               grpc::ClientContext* context);
  ~AdmittedCall() override;

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override;

 private:
  // Asks the breaker. False: refused_ stands.
  bool Admit(grpc::experimental::InterceptorBatchMethods* methods);
  void Refuse(grpc::experimental::InterceptorBatchMethods* methods);
  void RecordMessage();
  void RecordEnd(grpc::experimental::InterceptorBatchMethods* methods);
  Actions Step(const StepEvent& event);
  void Tell(const Actions& actions, const grpc::Status& status,
            const std::string& peer = std::string()) const;

  CallRecord record_;
  grpc::ClientContext& context_;
  absl::optional<grpc::Status>
      refused_;  // Written before the call is hijacked.
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> got_message_{false};

  Mutex mu_;
  absl::optional<CallEngine> engine_ ABSL_GUARDED_BY(mu_);  // Unset: not begun.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_ADMITTED_CALL_H_
