#include "interceptors/adapter/stream_call.h"

#include <string>
#include <utility>

#include "interceptors/adapter/attempt_context.h"
#include "interceptors/adapter/client_context_access.h"
#include "interceptors/adapter/status_text.h"

namespace retrykit {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using RpcType = grpc::internal::RpcMethod::RpcType;

// No number of the engine's: carries an application's cancel to a thread that
// may complete batches.
constexpr int kCancelTimer = -1;

}  // namespace

StreamCall::StreamCall(std::shared_ptr<ChannelState> state,
                       std::shared_ptr<const MethodState> method,
                       std::shared_ptr<CallScopeState> scope,
                       std::shared_ptr<grpc::Channel> channel)
    : state_(std::move(state)),
      method_(std::move(method)),
      channel_(std::move(channel)),
      record_(state_, method_, std::move(scope)) {}

// 1. The engine stands before gRPC can re-enter. 2. What the batch sends is
// asked for first, so that the first attempt's headers go with its message.
// 3. The call is hijacked; what the batch wants to receive is held; `methods`
// may be dead afterwards. 4. So are the batches that came before. 5. The first
// attempt starts.
void StreamCall::Begin(InterceptorBatchMethods* methods,
                       grpc::ClientContext& outer) {
  const std::shared_ptr<StreamCall> self = shared_from_this();
  ToolkitCore& core = state_->core();
  record_.AddIdempotencyKey(methods);
  source_.Take(outer, state_->only_interceptor());
  CallSetup setup = record_.SetupFor(outer);
  setup.timer_per_attempt =
      method_->rpc.method_type() != RpcType::CLIENT_STREAMING;
  callback_api_ = IsCallbackBatch(*methods, *channel_);
  driver_.emplace(core.clock(), *this, core.runtime().timers(),
                  weak_from_this(), setup, EngineOptions());
  SendFirst(methods);
  methods->Hijack();
  Unpark();
  begun_.store(true);
  if (cancelled_.load()) {
    driver_->Post(CallCancelled{});
  } else {
    driver_->Post(CallStarted{});
  }
}

void StreamCall::SendFirst(InterceptorBatchMethods* methods) {
  {
    MutexLock lock(mu_);
    first_ = methods;
  }
  if (methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_SEND_MESSAGE)) {
    driver_->Post(KeepMessage(methods));
  } else if (methods->QueryInterceptionHookPoint(
                 InterceptionHookPoints::PRE_SEND_CLOSE)) {
    driver_->Post(HalfCloseAsked{});
  }
}

// Cancelled before it began, the call is left to gRPC, which ends it.
bool StreamCall::Park(InterceptorBatchMethods* methods) {
  if (!parking_.load(std::memory_order_acquire)) return false;
  MutexLock lock(mu_);
  if (!parking_.load() || methods == first_ || cancelled_.load()) return false;
  parked_.push_back(methods);
  return true;
}

void StreamCall::Unpark() {
  absl::InlinedVector<InterceptorBatchMethods*, 2> parked;
  {
    MutexLock lock(mu_);
    parking_.store(false, std::memory_order_release);
    parked.swap(parked_);
  }
  for (InterceptorBatchMethods* methods : parked) methods->Proceed();
}

StreamOptions StreamCall::EngineOptions() const {
  StreamOptions options;
  options.call_buffer_limit =
      BytesLimit(state_->core().options().call_buffer_limit);
  options.quota = &state_->core().quota();
  options.response_with_status =
      method_->rpc.method_type() == RpcType::CLIENT_STREAMING;
  options.status_after_reads = callback_api_;
  return options;
}

WriteAsked StreamCall::KeepMessage(InterceptorBatchMethods* methods) {
  grpc::ByteBuffer message = *methods->GetSerializedSendMessage();
  WriteAsked asked;
  asked.bytes = static_cast<int64_t>(message.Length());
  asked.last = methods->QueryInterceptionHookPoint(
      InterceptionHookPoints::PRE_SEND_CLOSE);
  MutexLock lock(mu_);
  messages_.push_back(std::move(message));
  return asked;
}

void StreamCall::Send(InterceptorBatchMethods* methods) {
  if (!methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_SEND_MESSAGE)) {
    driver_->Post(HalfCloseAsked{});
    return methods->Proceed();
  }
  const std::shared_ptr<StreamCall> self = shared_from_this();
  const WriteAsked asked = KeepMessage(methods);
  {
    MutexLock lock(mu_);
    write_.methods = methods;
  }
  driver_->Post(asked);
}

void StreamCall::Hold(InterceptorBatchMethods* methods) {
  const std::shared_ptr<StreamCall> self = shared_from_this();
  const HeldBatch batch = HeldBatch::Of(methods);
  StreamEvent event = HeadersAsked{};
  HeldBatch StreamCall::*place = &StreamCall::headers_;
  if (batch.status) {
    event = ResultAsked{};
    place = &StreamCall::finish_;
  } else if (batch.message) {
    event = ReadAsked{};
    place = &StreamCall::read_;
  }
  {
    MutexLock lock(mu_);
    this->*place = batch;
  }
  driver_->Post(event);
}

// gRPC holds the context's mutex: held batches are completed elsewhere.
void StreamCall::Cancel() {
  cancelled_.store(true);
  bool waiting = begun_.load();
  if (!waiting) {
    MutexLock lock(mu_);
    waiting = !parked_.empty();
  }
  if (!waiting) return;
  state_->core().runtime().timers().Arm(Instant(), shared_from_this(),
                                        kCancelTimer);
}

void StreamCall::Drop() {
  if (!begun_.load()) return;
  {
    MutexLock lock(mu_);
    if (done_) return;
    write_ = read_ = headers_ = finish_ =
        HeldBatch();  // Died with the context.
  }
  driver_->Post(CallCancelled{});
}

void StreamCall::Do(const StartStream& action) {
  auto made = std::make_unique<StreamAttempt>(action.start.attempt);
  StreamAttempt& attempt = *made;
  StreamAttempt* first = Find(1);
  PrepareAttempt(source_.For(first != nullptr ? &first->context() : nullptr),
                 action.start, *method_, state_->core().clock(),
                 attempt.context());
  {
    MutexLock lock(mu_);
    attempts_.push_back(std::move(made));
  }
  attempt.Start(*channel_, state_->core().runtime().completion_queue(),
                *method_, action.message_follows, shared_from_this());
}

void StreamCall::Do(const CancelAttempt& action) {
  Find(action.attempt)->context().TryCancel();
}

void StreamCall::Do(const FinishCall& action) {
  if (StreamAttempt* attempt = Find(action.attempt)) {
    result_.context = &attempt->context();
    result_attempt_ = attempt;
  }
  result_.status = record_.FinalStatus(action, StatusOf(action.attempt),
                                       StatusOf(action.last_failure));
  record_.Complete(result_.status, action.reason);
}

// Only ForgetMessages removes messages, on this same thread: the reference
// stays good without the lock.
void StreamCall::Do(const SendMessage& action) {
  const grpc::ByteBuffer* message = nullptr;
  {
    MutexLock lock(mu_);
    message = &messages_[static_cast<size_t>(action.message - first_message_)];
  }
  Find(action.attempt)->Write(*message, action.half_close);
}

void StreamCall::Do(const SendHalfClose& action) {
  Find(action.attempt)->WritesDone();
}

void StreamCall::Do(const StartRead& action) { Find(action.attempt)->Read(); }

void StreamCall::Do(const ForgetMessages& action) {
  MutexLock lock(mu_);
  for (; first_message_ < action.below; ++first_message_) {
    messages_.pop_front();
  }
}

void StreamCall::Do(const CompleteWrite& action) {
  const HeldBatch batch = TakeHeld(&StreamCall::write_);
  if (batch.methods == nullptr) return;
  if (!action.ok) FailBatch(*batch.methods);
  batch.methods->Proceed();
}

void StreamCall::Do(const DeliverMessage& action) {
  const HeldBatch batch = TakeHeld(&StreamCall::read_);
  if (batch.methods == nullptr) return;
  StreamAttempt& attempt = *Find(action.attempt);
  grpc::ByteBuffer message = attempt.TakeMessage();
  if (batch.headers) FillHeaders(batch, attempt.context());
  if (!method_->codec->Deserialize(&message, batch.methods->GetRecvMessage())
           .ok()) {
    batch.methods->FailHijackedRecvMessage();
  }
  batch.methods->Proceed();
}

void StreamCall::Do(const FailRead&) {
  const HeldBatch batch = TakeHeld(&StreamCall::read_);
  if (batch.methods == nullptr) return;
  if (batch.headers && result_.context != nullptr) {
    FillHeaders(batch, *result_.context);
  }
  batch.methods->FailHijackedRecvMessage();
  batch.methods->Proceed();
}

// Reactors are told whether there were headers, as far as the batch can say
// no: that of a client or bidi stream which sends no message cannot.
void StreamCall::Do(const DeliverHeaders& action) {
  const HeldBatch batch = TakeHeld(&StreamCall::headers_);
  if (batch.methods == nullptr) return;
  if (StreamAttempt* attempt = Find(action.attempt)) {
    FillHeaders(batch, attempt->context());
  } else if (callback_api_) {
    FailBatch(*batch.methods);
  }
  batch.methods->Proceed();
}

void StreamCall::Do(const DeliverResult& action) {
  const HeldBatch batch = TakeHeld(&StreamCall::finish_);
  if (batch.methods == nullptr) return;
  CallResult result = result_;
  if (action.instead != absl::StatusCode::kOk) {
    result.status = StatusWithoutAttempt(action.instead);
  }
  grpc::ByteBuffer response;
  {
    MutexLock lock(mu_);
    done_ = true;
  }
  if (batch.message && result_attempt_ != nullptr) {
    response = result_attempt_->TakeMessage();
    result.response = &response;
  }
  Fill(batch, result, *method_->codec);
  batch.methods->Proceed();
}

void StreamCall::Observe(const CallEvent& event) {
  if (event.type != CallEvent::Type::kAttemptEnded) {
    return record_.Tell(event, grpc::Status::OK, std::string());
  }
  StreamAttempt& attempt = *Find(event.attempt);
  const grpc::Status* status =
      event.reason == Reason::kNone ? attempt.status() : nullptr;
  record_.Tell(event,
               status != nullptr ? *status : StatusWithoutAttempt(event.code),
               attempt.context().peer());
}

void StreamCall::OnTimer(int timer) {
  if (timer == kCancelTimer) {
    begun_.load() ? driver_->Post(CallCancelled{}) : Unpark();
  } else if ((timer & kAttemptTimeout) != 0) {
    driver_->Post(
        TimerFired{timer & ~kAttemptTimeout, record_.RetryAfterTimeout()});
  } else {
    driver_->Post(TimerFired{timer});
  }
}

void StreamCall::OnStream(const StreamEvent& event) { driver_->Post(event); }

void StreamCall::OnStatus(StreamAttempt& attempt) {
  driver_->Post(StatusArrived{
      attempt.number(),
      record_.Outcome(*attempt.status(),
                      attempt.context().GetServerTrailingMetadata())});
}

HeldBatch StreamCall::TakeHeld(HeldBatch StreamCall::*place) {
  MutexLock lock(mu_);
  return std::exchange(this->*place, HeldBatch());
}

StreamAttempt* StreamCall::Find(int number) {
  MutexLock lock(mu_);
  const auto index = static_cast<size_t>(number) - 1;
  return number >= 1 && index < attempts_.size() ? attempts_[index].get()
                                                 : nullptr;
}

const grpc::Status* StreamCall::StatusOf(int number) {
  StreamAttempt* attempt = Find(number);
  return attempt == nullptr ? nullptr : attempt->status();
}

}  // namespace retrykit
