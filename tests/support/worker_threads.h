// A few threads that do what they are given, in no particular order: the wire
// that calls back, the application that cancels.
//
//   WorkerThreads threads(3);
//   threads.Run([&] { driver.Post(CallCancelled{}); });
//   threads.Drain();
//
// Thread-safety: any thread; Run from inside a task too, Drain not.
// Lifetime: the destructor does what is still to do, then joins.
#ifndef RETRYKIT_TESTS_SUPPORT_WORKER_THREADS_H_
#define RETRYKIT_TESTS_SUPPORT_WORKER_THREADS_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"

namespace retrykit {

class WorkerThreads {
 public:
  explicit WorkerThreads(int count);
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  void Run(std::function<void()> task);

  // Waits until nothing is to do and nothing is being done.
  void Drain();

 private:
  void Work();

  Mutex mu_;
  CondVar changed_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mu_);
  int busy_ ABSL_GUARDED_BY(mu_) = 0;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_SUPPORT_WORKER_THREADS_H_
