#include "interceptors/adapter/unary_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "interceptors/adapter/attempt_context.h"
#include "interceptors/adapter/client_context_access.h"
#include "interceptors/adapter/grpc_time.h"
#include "interceptors/adapter/status_text.h"
#include "interceptors/adapter/thread_queue.h"
#include "interceptors/adapter/thread_stack.h"
#include "interceptors/engine/buffer_quota.h"

namespace retrykit {
namespace {

// No number of the engine's: carries an application's cancel to a thread that
// may complete batches.
constexpr int kCancelTimer = -1;

}  // namespace

UnaryCall::UnaryCall(std::shared_ptr<ChannelState> state,
                     std::shared_ptr<const MethodState> method,
                     std::shared_ptr<CallScopeState> scope,
                     std::shared_ptr<grpc::Channel> channel)
    : state_(std::move(state)),
      method_(std::move(method)),
      channel_(std::move(channel)),
      record_(state_, method_, std::move(scope)) {}

void UnaryCall::Begin(grpc::experimental::InterceptorBatchMethods* methods,
                      grpc::ClientContext& outer) {
  const std::shared_ptr<UnaryCall> self = shared_from_this();
  const bool blocking = OnThisThreadsStack(methods);
  record_.AddIdempotencyKey(methods);
  source_.Take(outer, state_->only_interceptor());
  request_ = *methods->GetSerializedSendMessage();
  kept_bytes_ = static_cast<int64_t>(request_.Length()) + kMessageOverhead;
  state_->core().quota().Take(kept_bytes_);
  const CallSetup setup = record_.SetupFor(outer);
  // Re-enters Intercept, which holds what the application wants to receive.
  // `methods` may be dead afterwards.
  methods->Hijack();
  blocking ? BeginBlocking(setup) : BeginAsync(setup);
}

void UnaryCall::BeginAsync(const CallSetup& setup) {
  ToolkitCore& core = state_->core();
  async_.emplace(core.clock(), *this, core.runtime().timers(), weak_from_this(),
                 setup);
  progress_.store(Progress::kAsync);
  async_->Post(FirstEvent());
}

// The call's attempts run on a queue that this thread polls. When the call has
// finished, cancelled attempts may still be under way: they end first.
void UnaryCall::BeginBlocking(const CallSetup& setup) {
  const ThreadQueue queue;
  blocking_queue_ = &*queue;
  blocking_.emplace(setup, state_->core().clock(), *this);
  progress_.store(Progress::kBlocking);
  blocking_->Run(FirstEvent());
  while (blocking_live_ > 0) Wait(Instant::InfiniteFuture());
}

// Cancel sets its flag before it reads progress_, Begin stores progress_ before
// it reads the flag: one of them sees the other.
StepEvent UnaryCall::FirstEvent() const {
  if (cancelled_.load()) return CallCancelled{};
  return CallStarted{};
}

void UnaryCall::Hold(grpc::experimental::InterceptorBatchMethods* methods) {
  const HeldBatch batch = HeldBatch::Of(methods);
  CallResult result;
  {
    MutexLock lock(mu_);
    if (batch.wants_headers_alone())
      callback_api_ = IsCallbackBatch(*methods, *channel_);
    if (!finished_) {
      held_.push_back(batch);
      return;
    }
    result = result_;
  }
  Fill(batch, result, *method_->codec);
  methods->Proceed();
}

// gRPC holds the context's mutex: held batches are completed elsewhere.
void UnaryCall::Cancel() {
  cancelled_.store(true);
  switch (progress_.load()) {
    case Progress::kNotBegun:
      return;
    case Progress::kAsync:
      state_->core().runtime().timers().Arm(Instant(), shared_from_this(),
                                            kCancelTimer);
      return;
    case Progress::kBlocking:
      blocking_->Cancel();
      return;
  }
}

void UnaryCall::Drop() {
  if (progress_.load() != Progress::kAsync) return;
  {
    MutexLock lock(mu_);
    if (finished_) return;
    held_.clear();  // They died with the application's context.
  }
  async_->Post(CallCancelled{});
}

void UnaryCall::Do(const StartAttempt& action) {
  auto made = std::make_unique<UnaryAttempt>(action.attempt);
  UnaryAttempt& attempt = *made;
  UnaryAttempt* first = Find(1);
  PrepareAttempt(source_.For(first != nullptr ? &first->context() : nullptr),
                 action, *method_, state_->core().clock(), attempt.context());
  const bool blocking = blocking_queue_ != nullptr;
  grpc::CompletionQueue& queue =
      blocking ? *blocking_queue_ : state_->core().runtime().completion_queue();
  if (blocking) ++blocking_live_;
  attempt.Start(*channel_, queue, *method_, request_, AttemptMode(),
                shared_from_this());
  MutexLock lock(mu_);
  attempts_.push_back(std::move(made));
}

UnaryAttempt::Mode UnaryCall::AttemptMode() {
  MutexLock lock(mu_);
  for (const HeldBatch& held : held_) {
    if (held.wants_headers_alone()) return UnaryAttempt::Mode::kHeadersAlone;
  }
  return UnaryAttempt::Mode::kWhole;
}

void UnaryCall::Do(const CancelAttempt& action) {
  if (UnaryAttempt* attempt = Find(action.attempt))
    attempt->context().TryCancel();
}

void UnaryCall::Do(const CommitAttempt& action) {
  HeldBatch batch;
  {
    MutexLock lock(mu_);
    const auto found = std::find_if(
        held_.begin(), held_.end(),
        [](const HeldBatch& held) { return held.wants_headers_alone(); });
    if (found == held_.end()) return;
    batch = *found;
    held_.erase(found);
  }
  FillHeaders(batch, Find(action.attempt)->context());
  batch.methods->Proceed();
}

void UnaryCall::Do(const FinishCall& action) {
  CallResult result;
  if (UnaryAttempt* attempt = Find(action.attempt)) {
    result.context = &attempt->context();
    result.response = &attempt->response();
    MutexLock lock(mu_);
    result.headers_ok =
        callback_api_ ? attempt->got_headers() : attempt->headers_ok();
  }
  result.status = record_.FinalStatus(action, StatusOf(action.attempt),
                                      StatusOf(action.last_failure));
  record_.Complete(result.status, action.reason);
  state_->core().quota().GiveBack(kept_bytes_);
  absl::InlinedVector<HeldBatch, 2> held;
  {
    MutexLock lock(mu_);
    finished_ = true;
    result_ = result;
    held.swap(held_);
  }
  for (const HeldBatch& batch : held) {
    Fill(batch, result, *method_->codec);
    batch.methods->Proceed();
  }
}

// The status of an attempt that was given up may still be written to.
void UnaryCall::Observe(const CallEvent& event) {
  if (event.type != CallEvent::Type::kAttemptEnded) {
    return record_.Tell(event, grpc::Status::OK, std::string());
  }
  UnaryAttempt& attempt = *Find(event.attempt);
  record_.Tell(event,
               event.reason == Reason::kNone ? attempt.status()
                                             : StatusWithoutAttempt(event.code),
               attempt.context().peer());
}

absl::optional<AttemptEnded> UnaryCall::Wait(Instant until) {
  void* tag = nullptr;
  bool ok = false;
  blocking_ended_.reset();
  const auto next = blocking_queue_->AsyncNext(
      &tag, &ok, ToTimespec(until, MonotonicClock()));
  if (next == grpc::CompletionQueue::GOT_EVENT)
    static_cast<CompletionTag*>(tag)->Complete(ok);
  return blocking_ended_;
}

// An interceptor after ours may be told of the cancel: not under the lock.
void UnaryCall::CancelLive() {
  absl::InlinedVector<UnaryAttempt*, 4> attempts;
  {
    MutexLock lock(mu_);
    for (const auto& attempt : attempts_) attempts.push_back(attempt.get());
  }
  for (UnaryAttempt* attempt : attempts) attempt->context().TryCancel();
}

void UnaryCall::OnTimer(int timer) {
  if (timer == kCancelTimer) {
    async_->Post(CallCancelled{});
  } else {
    async_->Post(TimerFired{timer});
  }
}

// A reactor asks for headers with everything else, so nothing is handed out
// early; it only learns at the end whether there were any.
void UnaryCall::OnHeaders(UnaryAttempt& attempt) {
  {
    MutexLock lock(mu_);
    if (callback_api_) return;
  }
  async_->Post(HeadersReceived{attempt.number()});
}

void UnaryCall::OnEnd(UnaryAttempt& attempt) {
  if (blocking_queue_ != nullptr) {
    --blocking_live_;
    blocking_ended_ = EndOf(attempt);
  } else {
    async_->Post(EndOf(attempt));
  }
}

const grpc::Status* UnaryCall::StatusOf(int number) {
  UnaryAttempt* attempt = Find(number);
  return attempt == nullptr ? nullptr : &attempt->status();
}

AttemptEnded UnaryCall::EndOf(UnaryAttempt& attempt) const {
  return {attempt.number(),
          record_.Outcome(attempt.status(),
                          attempt.context().GetServerTrailingMetadata())};
}

UnaryAttempt* UnaryCall::Find(int number) {
  MutexLock lock(mu_);
  const auto index = static_cast<size_t>(number) - 1;
  return number >= 1 && index < attempts_.size() ? attempts_[index].get()
                                                 : nullptr;
}

}  // namespace retrykit
