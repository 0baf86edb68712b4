#include "interceptors/adapter/timer_heap.h"

#include "interceptors/adapter/join.h"

namespace retrykit {

TimerPort::Handle TimerHeap::Arm(Instant at,
                                 std::shared_ptr<TimerTarget> target,
                                 int timer) {
  MutexLock lock(mu_);
  const Handle handle{at, ++last_id_};
  timers_.emplace(Key(at.nanos(), handle.id), Entry{std::move(target), timer});
  if (!thread_.joinable() && !stopped_) {
    thread_ = std::thread([self = shared_from_this()] { self->Run(); });
  } else if (RealTime(at, clock_) < looks_at_) {
    changed_.NotifyOne();
  }
  return handle;
}

bool TimerHeap::Disarm(const Handle& handle) {
  Entry entry;  // The target may die with it: not under the lock.
  MutexLock lock(mu_);
  auto found = timers_.find(Key(handle.at.nanos(), handle.id));
  if (found == timers_.end()) return false;
  entry = std::move(found->second);
  timers_.erase(found);
  return true;
}

size_t TimerHeap::live() const {
  MutexLock lock(mu_);
  return timers_.size();
}

void TimerHeap::Stop() {
  absl::btree_map<Key, Entry> dropped;
  std::thread thread;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    dropped.swap(timers_);
    thread.swap(thread_);
    changed_.NotifyAll();
  }
  JoinUnlessSelf(thread);
}

void TimerHeap::Run() {
  while (true) {
    const Entry entry = NextDue();
    if (entry.target == nullptr) return;
    entry.target->OnTimer(entry.timer);
  }
}

TimerHeap::Entry TimerHeap::NextDue() {
  MutexLock lock(mu_);
  while (!stopped_) {
    const auto first = timers_.begin();
    const Instant due = first == timers_.end()
                            ? Instant::InfiniteFuture()
                            : Instant::FromNanos(first->first.first);
    if (due <= clock_.Now()) {
      Entry entry = std::move(first->second);
      timers_.erase(first);
      looks_at_ = Instant();
      return entry;
    }
    // The injected clock says when; the wait itself takes real time.
    looks_at_ = RealTime(due, clock_);
    changed_.WaitUntil(mu_, looks_at_);
  }
  return Entry();
}

}  // namespace retrykit
