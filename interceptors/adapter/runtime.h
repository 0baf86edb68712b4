// A toolkit's own threads: a completion queue for the attempts of
// asynchronous calls, and the timers. Attempts never depend on gRPC's shared
// callback threads, which the application may have filled with its own work.
//
// Thread-safety: all members may be called from any thread.
// Lifetime: threads start with the first use and end with the destructor,
// which waits for them unless it runs on one of them. No attempt may be in
// flight then: attempts keep their toolkit alive.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_RUNTIME_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_RUNTIME_H_

#include <grpcpp/completion_queue.h>

#include <memory>
#include <thread>
#include <vector>

#include "absl/base/call_once.h"
#include "interceptors/adapter/timer_heap.h"
#include "interceptors/core/clock.h"

namespace retrykit {

// What a completion queue gives back: one operation of an attempt.
class CompletionTag {
 public:
  virtual ~CompletionTag() = default;
  // Called once, on one of the runtime's threads; `ok` as gRPC has it.
  virtual void Complete(bool ok) = 0;
};

class Runtime {
 public:
  // `threads` >= 1; `clock` must outlive the runtime.
  Runtime(int threads, const Clock& clock);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Every tag must be a CompletionTag.
  grpc::CompletionQueue& completion_queue();
  TimerHeap& timers() { return *timers_; }

 private:
  const int thread_count_;
  const std::shared_ptr<grpc::CompletionQueue> queue_;
  const std::shared_ptr<TimerHeap> timers_;
  absl::once_flag started_;
  std::vector<std::thread> threads_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_RUNTIME_H_
