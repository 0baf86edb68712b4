// How much load hedges may add to a method: a share of its calls of the last
// ten seconds, plus a few so that a quiet method may be hedged at all.
//
// The retry budget does not hold hedges back from a server that is slow and
// answers OK: such answers cost no tokens.
//
//   HedgeLoad load;
//   load.RecordCall(now);
//   if (load.TryHedge(/*max_extra_load=*/0.1, now)) ...
//
// Thread-safety: all members may be called from any thread; atomics only.
// Counts are exact but for calls that come in the very moment in which a
// second begins.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_HEDGE_LOAD_H_
#define RETRYKIT_INTERCEPTORS_POLICY_HEDGE_LOAD_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "interceptors/core/instant.h"

namespace retrykit {

class HedgeLoad {
 public:
  // Hedges that are always allowed within ten seconds.
  static constexpr int64_t kAlways = 3;

  void RecordCall(Instant now);

  // Counts a hedge if hedges stay at or under max_extra_load * calls + kAlways
  // with it. max_extra_load > 0.
  bool TryHedge(double max_extra_load, Instant now);

 private:
  // One second's.
  struct Bucket {
    std::atomic<int64_t> second{-1};
    std::atomic<int64_t> calls{0};
    std::atomic<int64_t> hedges{0};
  };

  Bucket& BucketAt(Instant now);

  std::array<Bucket, 10> buckets_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_HEDGE_LOAD_H_
