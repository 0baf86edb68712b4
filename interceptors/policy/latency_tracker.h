// How long a method's calls took of late: a percentile of the last minute.
//
// A histogram whose buckets grow by a sixteenth, in slices of ten seconds, six
// of which count. The answer is kept for a tenth of a second, so that asking
// on every call costs a few loads.
//
//   LatencyTracker tracker;
//   tracker.Record(duration, now);
//   absl::optional<absl::Duration> p95 = tracker.Percentile(95, now);
//
// Thread-safety: all members may be called from any thread; a lock is taken
// only when a slice begins and when the answer is made anew.
// Errors: none. About 11 KiB, allocated with the object.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_LATENCY_TRACKER_H_
#define RETRYKIT_INTERCEPTORS_POLICY_LATENCY_TRACKER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"

namespace retrykit {

class LatencyTracker {
 public:
  // Fewer samples say nothing.
  static constexpr int64_t kFewestSamples = 100;

  // Durations below 1 us count as that, above about 4 minutes as those. An
  // earlier `now` counts as the last one.
  void Record(absl::Duration duration, Instant now);

  // The upper end of the bucket that holds the percentile (1 to 99): at most
  // a sixteenth above it. Nullopt below kFewestSamples in the last minute. The
  // percentile asked for should not change between calls.
  absl::optional<absl::Duration> Percentile(int percentile, Instant now);

 private:
  static constexpr size_t kSubBuckets = 16;  // Per doubling.
  static constexpr size_t kDoublings = 28;   // From 1 us on.
  static constexpr size_t kBuckets = kSubBuckets * kDoublings;
  static constexpr size_t kSlices = 6;

  using Slice = std::array<std::atomic<uint32_t>, kBuckets>;

  static size_t BucketOf(absl::Duration duration);
  static absl::Duration UpperEnd(size_t bucket);

  // Empties the slices that have become too old; returns the current one.
  Slice& SliceAt(Instant now);
  // Whether there are enough samples since an answer that said "too few".
  bool HasBecomeEnough() const;
  absl::Duration Compute(int percentile);

  std::array<Slice, kSlices> slices_{};
  std::atomic<int64_t> epoch_{0};         // Number of the current slice.
  std::atomic<int64_t> valid_until_{0};   // Of answer_, Instant's nanos.
  std::atomic<int64_t> answer_nanos_{0};  // 0: too few samples, by...
  std::atomic<int64_t> missing_{kFewestSamples};
  Mutex mu_;  // Guards the emptying of slices and the making of an answer.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_LATENCY_TRACKER_H_
