// A stream that retrykit drives, of any of the three kinds and through any
// API: between gRPC's hooks on the application's side and attempts on the
// wire. The order of everything is the stream engine's; this is its hands.
//
// Begin hijacks the application's call. Each thing that the application asks
// for (a write, a message, the headers, the status) is a held batch, at most
// one of each, completed when the engine says so.
//
// Thread-safety and lifetime: as DrivenCall. The application's context is read
// for the first attempt alone; the attempt whose result counts lives as long
// as the interceptor, because the application's context then points into its
// metadata.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_STREAM_CALL_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_STREAM_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_interceptor.h>

#include <atomic>
#include <deque>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/async_driver.h"
#include "interceptors/adapter/attempt_context.h"
#include "interceptors/adapter/call_record.h"
#include "interceptors/adapter/call_scope_state.h"
#include "interceptors/adapter/channel_state.h"
#include "interceptors/adapter/driven_call.h"
#include "interceptors/adapter/held_batch.h"
#include "interceptors/adapter/method_state.h"
#include "interceptors/adapter/stream_attempt.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/ports.h"
#include "interceptors/engine/stream_engine.h"
#include "interceptors/engine/stream_step.h"

namespace retrykit {

class StreamCall final : public DrivenCall,
                         public TimerTarget,
                         public StreamAttemptSink,
                         public std::enable_shared_from_this<StreamCall> {
 public:
  StreamCall(std::shared_ptr<ChannelState> state,
             std::shared_ptr<const MethodState> method,
             std::shared_ptr<CallScopeState> scope,
             std::shared_ptr<grpc::Channel> channel);

  void Begin(grpc::experimental::InterceptorBatchMethods* methods,
             grpc::ClientContext& outer) override;
  bool Park(grpc::experimental::InterceptorBatchMethods* methods) override;
  void Send(grpc::experimental::InterceptorBatchMethods* methods) override;
  void Hold(grpc::experimental::InterceptorBatchMethods* methods) override;
  void Cancel() override;
  void Drop() override;

 private:
  using Driver = AsyncDriver<StreamEngine, StreamCall>;
  friend Driver;

  // What the engine wants done.
  void Do(const StartStream& action);
  void Do(const CancelAttempt& action);
  void Do(const FinishCall& action);
  void Do(const SendMessage& action);
  void Do(const SendHalfClose& action);
  void Do(const StartRead& action);
  void Do(const ForgetMessages& action);
  void Do(const CompleteWrite& action);
  void Do(const DeliverMessage& action);
  void Do(const FailRead& action);
  void Do(const DeliverHeaders& action);
  void Do(const DeliverResult& action);
  void Observe(const CallEvent& event);

  void OnTimer(int timer) override;
  void OnStream(const StreamEvent& event) override;
  void OnStatus(StreamAttempt& attempt) override;

  StreamOptions EngineOptions() const;
  // Asks for what the first batch sends.
  void SendFirst(grpc::experimental::InterceptorBatchMethods* methods);
  void Unpark();
  // Keeps the batch's message; its event.
  WriteAsked KeepMessage(grpc::experimental::InterceptorBatchMethods* methods);
  // Takes a held batch out of its place; `methods` is null if there is none.
  HeldBatch TakeHeld(HeldBatch StreamCall::*place);
  StreamAttempt* Find(int number);
  const grpc::Status* StatusOf(int number);  // Null: none, or not known.

  const std::shared_ptr<ChannelState> state_;
  const std::shared_ptr<const MethodState> method_;
  const std::shared_ptr<grpc::Channel> channel_;
  CallRecord record_;

  AttemptSource source_;
  bool callback_api_ = false;  // Before the driver, and then fixed.
  absl::optional<Driver> driver_;
  std::atomic<bool> begun_{false};
  std::atomic<bool> cancelled_{false};
  // Touched by the executing thread alone:
  CallResult result_;
  StreamAttempt* result_attempt_ = nullptr;

  std::atomic<bool> parking_{true};  // Changed under mu_.

  Mutex mu_;
  grpc::experimental::InterceptorBatchMethods* first_ ABSL_GUARDED_BY(mu_) =
      nullptr;  // The batch that is hijacked: never parked.
  absl::InlinedVector<grpc::experimental::InterceptorBatchMethods*, 2> parked_
      ABSL_GUARDED_BY(mu_);
  bool done_ ABSL_GUARDED_BY(mu_) = false;  // The result was delivered.
  HeldBatch write_ ABSL_GUARDED_BY(mu_);
  HeldBatch read_ ABSL_GUARDED_BY(mu_);
  HeldBatch headers_ ABSL_GUARDED_BY(mu_);
  HeldBatch finish_ ABSL_GUARDED_BY(mu_);
  int64_t first_message_ ABSL_GUARDED_BY(mu_) = 0;
  std::deque<grpc::ByteBuffer> messages_ ABSL_GUARDED_BY(mu_);
  absl::InlinedVector<std::unique_ptr<StreamAttempt>, 1> attempts_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_STREAM_CALL_H_
