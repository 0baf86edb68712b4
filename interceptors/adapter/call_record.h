// What a call runs under, and who is told about it: the part that driven and
// admitted calls have in common.
//
// Thread-safety: immutable but for the scope's report, which is thread-safe.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CALL_RECORD_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CALL_RECORD_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/call_scope_state.h"
#include "interceptors/adapter/channel_state.h"
#include "interceptors/adapter/method_state.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/events.h"

namespace retrykit {

class CallRecord {
 public:
  CallRecord(std::shared_ptr<ChannelState> state,
             std::shared_ptr<const MethodState> method,
             std::shared_ptr<CallScopeState> scope);

  // Reads the context's deadline, once, and what the scope overrides. The
  // setup points into this record.
  CallSetup SetupFor(const grpc::ClientContext& outer);

  // Sends the call's idempotency key with the first batch, and so with every
  // attempt, if the policy names a header; one that the application has set
  // itself wins.
  void AddIdempotencyKey(
      grpc::experimental::InterceptorBatchMethods* methods) const;

  // The trailing predicate's answer, where there is one.
  AttemptOutcome Outcome(const grpc::Status& status,
                         const TrailingMetadata& trailing) const;

  // The predicate's answer to an attempt that the call's own timer has cut.
  absl::optional<bool> RetryAfterTimeout() const;

  // Tells observers and scope. `status` is the ended attempt's.
  void Tell(CallEvent event, const grpc::Status& status,
            const std::string& peer) const;

  // What the application gets: the status of the attempt that counts (null:
  // there is none), annotated where the options say so. `last_failure` (may be
  // null) as in Annotated.
  grpc::Status FinalStatus(const FinishCall& finish,
                           const grpc::Status* attempt,
                           const grpc::Status* last_failure) const;

  // The call has ended with `status`: completes the scope's report.
  void Complete(const grpc::Status& status, Reason reason) const;

  bool observed() const {
    return scope_ != nullptr || state_->core().observed();
  }
  const MethodState& method() const { return *method_; }
  ToolkitCore& core() const { return state_->core(); }
  const TargetState& target() const { return state_->target(); }

 private:
  // From an open breaker.
  grpc::Status RefusedStatus(absl::Duration time_left) const;
  void SetRules(const CallOverrides& overrides, CallSetup& setup);
  void SetHedging(const CallOverrides& overrides, CallSetup& setup);

  const std::shared_ptr<ChannelState> state_;
  const std::shared_ptr<const MethodState> method_;
  const std::shared_ptr<CallScopeState> scope_;
  uint64_t id_ = 0;  // 0: nobody listens.
  Instant started_;
  // Those that the scope or the method's recent latencies changed.
  absl::optional<RetryRules> own_rules_;
  absl::optional<HedgeRules> own_hedging_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CALL_RECORD_H_
