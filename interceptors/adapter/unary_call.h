// A unary call that retrykit drives: between gRPC's hooks on the application's
// side and the attempts on the wire.
//
// Begin hijacks the application's call, takes its request as bytes and starts
// the engine: on the calling thread if the application waits there (blocking
// stubs), else on the toolkit's threads. What the application wants to receive
// is held and filled when the engine finishes.
//
// Thread-safety: hooks may come on several threads at once; Cancel under
// gRPC's own mutex of the context, before Begin even.
// Lifetime: shared by the interceptor and by attempts and timers in flight.
// The application's context is read for the first attempt alone. The attempt
// whose result counts lives as long as the interceptor, because the
// application's context then points into its metadata.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_UNARY_CALL_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_UNARY_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_interceptor.h>

#include <atomic>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/async_driver.h"
#include "interceptors/adapter/attempt_context.h"
#include "interceptors/adapter/blocking_driver.h"
#include "interceptors/adapter/call_record.h"
#include "interceptors/adapter/call_scope_state.h"
#include "interceptors/adapter/channel_state.h"
#include "interceptors/adapter/driven_call.h"
#include "interceptors/adapter/held_batch.h"
#include "interceptors/adapter/method_state.h"
#include "interceptors/adapter/unary_attempt.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/ports.h"
#include "interceptors/engine/step.h"

namespace retrykit {

class UnaryCall final : public DrivenCall,
                        public BlockingPort,
                        public TimerTarget,
                        public UnaryAttemptSink,
                        public std::enable_shared_from_this<UnaryCall> {
 public:
  UnaryCall(std::shared_ptr<ChannelState> state,
            std::shared_ptr<const MethodState> method,
            std::shared_ptr<CallScopeState> scope,
            std::shared_ptr<grpc::Channel> channel);

  void Begin(grpc::experimental::InterceptorBatchMethods* methods,
             grpc::ClientContext& outer) override;
  void Hold(grpc::experimental::InterceptorBatchMethods* methods) override;
  void Cancel() override;
  void Drop() override;

 private:
  enum class Progress : unsigned char { kNotBegun, kAsync, kBlocking };

  void BeginAsync(const CallSetup& setup);
  void BeginBlocking(const CallSetup& setup);
  StepEvent FirstEvent() const;

  // CallPort: what the engine wants done.
  void Do(const StartAttempt& action) override;
  void Do(const CancelAttempt& action) override;
  void Do(const CommitAttempt& action) override;
  void Do(const FinishCall& action) override;
  void Observe(const CallEvent& event) override;
  // BlockingPort.
  absl::optional<AttemptEnded> Wait(Instant until) override;
  void CancelLive() override;
  // TimerTarget: a timer of the engine's, or kCancelTimer.
  void OnTimer(int timer) override;
  // UnaryAttemptSink.
  void OnHeaders(UnaryAttempt& attempt) override;
  void OnEnd(UnaryAttempt& attempt) override;

  UnaryAttempt* Find(int number);
  AttemptEnded EndOf(UnaryAttempt& attempt) const;
  const grpc::Status* StatusOf(int number);  // Null: no such attempt.
  UnaryAttempt::Mode AttemptMode();

  const std::shared_ptr<ChannelState> state_;
  const std::shared_ptr<const MethodState> method_;
  const std::shared_ptr<grpc::Channel> channel_;
  CallRecord record_;

  AttemptSource source_;
  grpc::ByteBuffer request_;
  int64_t kept_bytes_ = 0;  // Of the request, in the toolkit's quota.
  std::atomic<Progress> progress_{Progress::kNotBegun};
  std::atomic<bool> cancelled_{false};
  absl::optional<AsyncDriver<CallEngine, CallPort>> async_;
  absl::optional<BlockingDriver> blocking_;
  grpc::CompletionQueue* blocking_queue_ =
      nullptr;                                   // While a blocking call runs.
  absl::optional<AttemptEnded> blocking_ended_;  // Seen by Wait.
  int blocking_live_ = 0;                        // Attempts on the queue.

  Mutex mu_;
  bool callback_api_ ABSL_GUARDED_BY(mu_) = false;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;  // result_ stands.
  CallResult result_ ABSL_GUARDED_BY(mu_);
  absl::InlinedVector<HeldBatch, 2> held_ ABSL_GUARDED_BY(mu_);
  absl::InlinedVector<std::unique_ptr<UnaryAttempt>, 1> attempts_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_UNARY_CALL_H_
