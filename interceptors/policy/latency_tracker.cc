#include "interceptors/policy/latency_tracker.h"

#include <algorithm>

namespace retrykit {
namespace {

constexpr int64_t kSliceNanos = int64_t{10} * 1'000'000'000;
constexpr int64_t kAnswerNanos = int64_t{100} * 1'000'000;
constexpr int64_t kUnitNanos = 1000;

// Position of the highest set bit; `value` > 0.
size_t Log2(uint64_t value) {
  return 63 - static_cast<size_t>(__builtin_clzll(value));
}

}  // namespace

// The doubling that the duration lies in, then the sixteenth of it.
size_t LatencyTracker::BucketOf(absl::Duration duration) {
  const int64_t nanos = absl::ToInt64Nanoseconds(duration);
  const auto units =
      static_cast<uint64_t>(std::max<int64_t>(nanos / kUnitNanos, 1));
  const size_t doubling = std::min(Log2(units), kDoublings - 1);
  const uint64_t into = (units << 4 >> doubling) - kSubBuckets;
  return doubling * kSubBuckets +
         static_cast<size_t>(std::min<uint64_t>(into, kSubBuckets - 1));
}

absl::Duration LatencyTracker::UpperEnd(size_t bucket) {
  const size_t doubling = bucket / kSubBuckets;
  const auto sixteenths =
      static_cast<int64_t>(kSubBuckets + bucket % kSubBuckets + 1);
  return absl::Nanoseconds((sixteenths << doubling) * kUnitNanos / 16);
}

void LatencyTracker::Record(absl::Duration duration, Instant now) {
  SliceAt(now)[BucketOf(duration)].fetch_add(1, std::memory_order_relaxed);
  if (answer_nanos_.load(std::memory_order_relaxed) == 0) {
    missing_.fetch_sub(1, std::memory_order_relaxed);
  }
}

absl::optional<absl::Duration> LatencyTracker::Percentile(int percentile,
                                                          Instant now) {
  if (now.nanos() >= valid_until_.load(std::memory_order_acquire) ||
      HasBecomeEnough()) {
    SliceAt(now);
    MutexLock lock(mu_);
    answer_nanos_.store(absl::ToInt64Nanoseconds(Compute(percentile)),
                        std::memory_order_relaxed);
    valid_until_.store(now.nanos() + kAnswerNanos, std::memory_order_release);
  }
  const int64_t answer = answer_nanos_.load(std::memory_order_relaxed);
  if (answer == 0) return absl::nullopt;
  return absl::Nanoseconds(answer);
}

LatencyTracker::Slice& LatencyTracker::SliceAt(Instant now) {
  const int64_t epoch = now.nanos() / kSliceNanos;
  if (epoch > epoch_.load(std::memory_order_acquire)) {
    MutexLock lock(mu_);
    const int64_t last = epoch_.load(std::memory_order_relaxed);
    const int64_t stale = std::min(epoch - last, static_cast<int64_t>(kSlices));
    for (int64_t i = 0; i < stale; ++i) {
      Slice& slice = slices_[static_cast<size_t>(epoch - i) % kSlices];
      for (auto& count : slice) count.store(0, std::memory_order_relaxed);
    }
    if (epoch > last) epoch_.store(epoch, std::memory_order_release);
  }
  const int64_t current = epoch_.load(std::memory_order_relaxed);
  return slices_[static_cast<size_t>(current) % kSlices];
}

bool LatencyTracker::HasBecomeEnough() const {
  return answer_nanos_.load(std::memory_order_relaxed) == 0 &&
         missing_.load(std::memory_order_relaxed) <= 0;
}

// Zero below the fewest samples.
absl::Duration LatencyTracker::Compute(int percentile) {
  std::array<int64_t, kBuckets> counts{};
  int64_t total = 0;
  for (const Slice& slice : slices_) {
    for (size_t i = 0; i < kBuckets; ++i) {
      const int64_t count = slice[i].load(std::memory_order_relaxed);
      counts[i] += count;
      total += count;
    }
  }
  missing_.store(kFewestSamples - total, std::memory_order_relaxed);
  if (total < kFewestSamples) return absl::ZeroDuration();
  const int64_t rank = (total * percentile + 99) / 100;
  int64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += counts[i];
    if (seen >= rank) return UpperEnd(i);
  }
  return UpperEnd(kBuckets - 1);
}

}  // namespace retrykit
