#include "interceptors/adapter/runtime.h"

#include "interceptors/adapter/join.h"

namespace retrykit {
namespace {

void CompleteTags(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) static_cast<CompletionTag*>(tag)->Complete(ok);
}

}  // namespace

Runtime::Runtime(int threads, const Clock& clock)
    : thread_count_(threads),
      queue_(std::make_shared<grpc::CompletionQueue>()),
      timers_(std::make_shared<TimerHeap>(clock)) {}

Runtime::~Runtime() {
  timers_->Stop();
  queue_->Shutdown();
  for (std::thread& thread : threads_) JoinUnlessSelf(thread);
  if (!threads_.empty()) return;
  // Nobody ever polled it: gRPC wants the shutdown to be seen all the same.
  CompleteTags(*queue_);
}

grpc::CompletionQueue& Runtime::completion_queue() {
  absl::call_once(started_, [this] {
    for (int i = 0; i < thread_count_; ++i) {
      threads_.emplace_back([queue = queue_] { CompleteTags(*queue); });
    }
  });
  return *queue_;
}

}  // namespace retrykit
