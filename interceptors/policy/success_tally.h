// Counts successes without a lock and, mostly, without a shared cache line.
//
// Each thread adds to one of eight counters; whoever needs the number drains
// them. A generation keeps latecomers out: what is added for another
// generation than the present one is not counted.
//
//   SuccessTally tally;
//   tally.Restart(generation);
//   tally.Add(generation);                   // From any thread.
//   int64_t count = tally.Drain(generation);  // Since the last Drain().
//
// Thread-safety: Add() from any thread at any time. Restart() and Drain() one
// at a time (the circuit breaker calls them under its mutex). All are
// sequentially consistent: circuit_breaker.cc says why it needs that.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_SUCCESS_TALLY_H_
#define RETRYKIT_INTERCEPTORS_POLICY_SUCCESS_TALLY_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "absl/base/optimization.h"

namespace retrykit {

class SuccessTally {
 public:
  // Empty, and of `generation` (its lower 32 bits tell generations apart).
  void Restart(uint64_t generation);

  // No effect when `generation` is not the present one. Stops counting at 2^32
  // - 1 per counter between two drains.
  void Add(uint64_t generation);

  // What was added since the last drain; each success is in one drain only.
  int64_t Drain(uint64_t generation);

 private:
  // The generation in the upper half of the word, the count in the lower.
  struct alignas(ABSL_CACHELINE_SIZE) Shard {
    std::atomic<uint64_t> word{0};
  };

  std::array<Shard, 8> shards_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_SUCCESS_TALLY_H_
