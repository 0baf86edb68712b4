// A shared value that is read on every call and replaced now and then.
//
//   SnapshotCell<Table> cell(std::make_shared<Table>());
//   const std::shared_ptr<const Table>& table = cell.Load();
//   cell.Store(std::make_shared<Table>(changed));
//
// Load compares a version with what the thread has seen last and touches
// nothing that other threads write. (std::atomic_load of a shared_ptr took
// 41 ns alone and 256 ns with two threads.) A thread keeps the last value it
// has read of a few cells until it reads another or ends.
//
// Thread-safety: Load and Store may be called from any thread.
// Lifetime: the reference that Load returns is good until the thread's next
// Load of any cell of the same type; copy it to keep it.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_SNAPSHOT_CELL_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_SNAPSHOT_CELL_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"

namespace retrykit {

template <typename T>
class SnapshotCell {
 public:
  explicit SnapshotCell(std::shared_ptr<const T> value)
      : version_(NextVersion()), value_(std::move(value)) {}

  const std::shared_ptr<const T>& Load() const {
    Seen& seen = Place();
    // Versions are unique in the process, so one of another cell never fits.
    if (seen.version != version_.load(std::memory_order_acquire)) Refresh(seen);
    return seen.value;
  }

  void Store(std::shared_ptr<const T> value) {
    MutexLock lock(mu_);
    value_.swap(value);
    version_.store(NextVersion(), std::memory_order_release);
  }

 private:
  struct Seen {
    uint64_t version = 0;
    std::shared_ptr<const T> value;
  };

  static uint64_t NextVersion() {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  Seen& Place() const {
    thread_local std::array<Seen, 8> places;
    return places[(reinterpret_cast<uintptr_t>(this) >> 6) % places.size()];
  }

  void Refresh(Seen& seen) const {
    std::shared_ptr<const T> old;  // Dies after the lock is released.
    MutexLock lock(mu_);
    old = std::exchange(seen.value, value_);
    seen.version = version_.load(std::memory_order_relaxed);
  }

  mutable Mutex mu_;
  std::atomic<uint64_t> version_;
  std::shared_ptr<const T> value_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_SNAPSHOT_CELL_H_
