// One ordered set of timers and one thread for all calls of a toolkit.
//
//   auto handle = timers.Arm(clock.Now() + absl::Milliseconds(50), call, 1);
//   timers.Disarm(handle);
//
// Arming wakes the thread only when the new timer is the earliest, so that a
// timer that never fires costs two short critical sections.
//
// Thread-safety: all members may be called from any thread, OnTimer included.
// Targets are called without a lock, one at a time.
// Lifetime: the thread starts with the first timer and ends with Stop; it
// keeps what it needs alive (TimerHeap is shared), so that the last owner may
// be a target that is called on that very thread.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_TIMER_HEAP_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_TIMER_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/ports.h"

namespace retrykit {

class TimerHeap final : public TimerPort,
                        public std::enable_shared_from_this<TimerHeap> {
 public:
  explicit TimerHeap(const Clock& clock) : clock_(clock) {}
  ~TimerHeap() override = default;

  Handle Arm(Instant at, std::shared_ptr<TimerTarget> target,
             int timer) override;
  bool Disarm(const Handle& handle) override;

  // Timers that are armed and have not begun to fire.
  size_t live() const;

  // Drops all timers and ends the thread; waits for it unless called on it.
  // No timer may be armed afterwards.
  void Stop();

 private:
  struct Entry {
    std::shared_ptr<TimerTarget> target;
    int timer = 0;
  };
  using Key =
      std::pair<int64_t, uint64_t>;  // When, and a number to tell equals apart.

  void Run();
  // Waits for the earliest timer to be due and takes it out; null at the end.
  Entry NextDue();

  const Clock& clock_;
  mutable Mutex mu_;
  CondVar changed_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  uint64_t last_id_ ABSL_GUARDED_BY(mu_) = 0;
  // When the thread looks at the timers again of itself, in real time. A timer
  // that is disarmed leaves it be, so that one for every call wakes nobody.
  Instant looks_at_ ABSL_GUARDED_BY(mu_);
  absl::btree_map<Key, Entry> timers_ ABSL_GUARDED_BY(mu_);
  std::thread thread_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_TIMER_HEAP_H_
