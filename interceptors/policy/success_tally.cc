#include "interceptors/policy/success_tally.h"

#include <cstddef>

namespace retrykit {
namespace {

constexpr uint64_t kCountMask = 0xffffffff;

constexpr uint64_t Empty(uint64_t generation) { return generation << 32; }
constexpr bool IsOf(uint64_t word, uint64_t generation) {
  return (word & ~kCountMask) == Empty(generation);
}

// Threads take the counters in turn as they come; a ninth shares the first.
size_t ThisThread() {
  static std::atomic<size_t> threads{0};
  thread_local const size_t number =
      threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

void SuccessTally::Restart(uint64_t generation) {
  for (Shard& shard : shards_) shard.word.store(Empty(generation));
}

void SuccessTally::Add(uint64_t generation) {
  std::atomic<uint64_t>& word = shards_[ThisThread() % shards_.size()].word;
  uint64_t seen = word.load();
  while (IsOf(seen, generation) && (seen & kCountMask) != kCountMask) {
    if (word.compare_exchange_weak(seen, seen + 1)) return;
  }
}

int64_t SuccessTally::Drain(uint64_t generation) {
  uint64_t count = 0;
  for (Shard& shard : shards_) {
    // Most are empty: reading leaves their cache lines where they are.
    if (shard.word.load() == Empty(generation)) continue;
    count += shard.word.exchange(Empty(generation)) & kCountMask;
  }
  return static_cast<int64_t>(count);
}

}  // namespace retrykit
