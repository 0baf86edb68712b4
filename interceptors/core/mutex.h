// One annotated wrapper of std::mutex.
//
// The standard primitives, and not absl::Mutex, because ThreadSanitizer sees
// through them in every build: an Abseil that was not built with it gives
// false reports. The annotations let Clang's -Wthread-safety check every use.
//
//   Mutex mu;
//   int count ABSL_GUARDED_BY(mu) = 0;
//   ...
//   MutexLock lock(mu);
//   ++count;
#ifndef RETRYKIT_INTERCEPTORS_CORE_MUTEX_H_
#define RETRYKIT_INTERCEPTORS_CORE_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/instant.h"

namespace retrykit {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mu_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mu_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mu_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mu) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu) : mu_(mu) {
    mu_.Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mu_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

class CondVar {
 public:
  // Waits until notified, or spuriously. Call in a loop over the condition.
  void Wait(Mutex& mu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }

  // The same, at most until `until` as MonotonicClock() counts.
  void WaitUntil(Mutex& mu, Instant until) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    if (until.is_infinite()) return Wait(mu);
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    cv_.wait_until(lock, std::chrono::steady_clock::time_point(
                             std::chrono::nanoseconds(until.nanos())));
    lock.release();
  }

  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CORE_MUTEX_H_
