#include "interceptors/adapter/thread_queue.h"

#include <utility>

namespace retrykit {
namespace {

void End(std::unique_ptr<grpc::CompletionQueue> queue) {
  if (queue == nullptr) return;
  queue->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) {
  }
}

// Blocking calls may still be made while a thread's objects are destroyed.
thread_local bool thread_ends = false;

struct Idle {
  std::unique_ptr<grpc::CompletionQueue> queue;
  ~Idle() {
    thread_ends = true;
    End(std::move(queue));
  }
};

thread_local Idle idle;

}  // namespace

ThreadQueue::ThreadQueue() {
  if (!thread_ends) queue_ = std::move(idle.queue);
  if (queue_ == nullptr) queue_ = std::make_unique<grpc::CompletionQueue>();
}

ThreadQueue::~ThreadQueue() {
  if (!thread_ends && idle.queue == nullptr) {
    idle.queue = std::move(queue_);
  } else {
    End(std::move(queue_));
  }
}

}  // namespace retrykit
