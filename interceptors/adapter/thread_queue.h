// The completion queue on which a blocking call waits for its attempts: one
// per thread, kept from call to call.
//
// Making and destroying one for each call took gRPC's global lock twice and a
// quarter of all that a driven call adds to a plain one.
//
//   ThreadQueue queue;
//   ... start operations on *queue, wait until all have ended ...
//
// A blocking call that is made inside another (by an interceptor, say) finds
// the thread's queue in use and gets one of its own.
//
// Thread-safety: one thread.
// Lifetime: no operation may be pending at the end. The thread's queue ends
// with the thread.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_THREAD_QUEUE_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_THREAD_QUEUE_H_

#include <grpcpp/completion_queue.h>

#include <memory>

namespace retrykit {

class ThreadQueue {
 public:
  ThreadQueue();
  ~ThreadQueue();
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;

  grpc::CompletionQueue& operator*() const { return *queue_; }

 private:
  std::unique_ptr<grpc::CompletionQueue> queue_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_THREAD_QUEUE_H_
