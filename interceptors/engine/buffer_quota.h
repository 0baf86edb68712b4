// How many bytes all calls of a toolkit together may keep for replay.
//
// Thread-safety: all members may be called from any thread; one atomic.
// Lifetime: shared by the toolkit's calls; each gives back what it took.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_BUFFER_QUOTA_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_BUFFER_QUOTA_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace retrykit {

// A limit of Options as a signed number: what is too large is the largest.
inline int64_t BytesLimit(size_t limit) {
  constexpr auto kMost =
      static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(std::min<uint64_t>(limit, kMost));
}

// What a kept message costs beside its bytes.
constexpr int64_t kMessageOverhead = 400;

class BufferQuota {
 public:
  // `limit` in bytes, >= 0.
  explicit BufferQuota(int64_t limit) : limit_(limit) {}

  // Takes `bytes` unless that would go over the limit.
  bool TryTake(int64_t bytes) {
    int64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used + bytes > limit_) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes,
                                          std::memory_order_relaxed));
    return true;
  }

  // Takes `bytes` even over the limit: what is kept in any case.
  void Take(int64_t bytes) {
    used_.fetch_add(bytes, std::memory_order_relaxed);
  }

  void GiveBack(int64_t bytes) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  int64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_BUFFER_QUOTA_H_
