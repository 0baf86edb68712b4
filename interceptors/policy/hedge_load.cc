#include "interceptors/policy/hedge_load.h"

namespace retrykit {
namespace {

int64_t SecondOf(Instant now) { return now.nanos() / 1'000'000'000; }

}  // namespace

HedgeLoad::Bucket& HedgeLoad::BucketAt(Instant now) {
  const int64_t second = SecondOf(now);
  Bucket& bucket = buckets_[static_cast<size_t>(second) % buckets_.size()];
  int64_t of = bucket.second.load(std::memory_order_acquire);
  if (of < second && bucket.second.compare_exchange_strong(of, second)) {
    bucket.calls.store(0, std::memory_order_relaxed);
    bucket.hedges.store(0, std::memory_order_relaxed);
  }
  return bucket;
}

void HedgeLoad::RecordCall(Instant now) {
  BucketAt(now).calls.fetch_add(1, std::memory_order_relaxed);
}

bool HedgeLoad::TryHedge(double max_extra_load, Instant now) {
  Bucket& current = BucketAt(now);
  // Counted first, so that two at the same moment see each other.
  current.hedges.fetch_add(1, std::memory_order_acq_rel);
  const int64_t oldest = SecondOf(now) - static_cast<int64_t>(buckets_.size());
  int64_t calls = 0;
  int64_t hedges = 0;
  for (const Bucket& bucket : buckets_) {
    if (bucket.second.load(std::memory_order_acquire) <= oldest) continue;
    calls += bucket.calls.load(std::memory_order_relaxed);
    hedges += bucket.hedges.load(std::memory_order_relaxed);
  }
  const double allowed = max_extra_load * static_cast<double>(calls) + kAlways;
  if (static_cast<double>(hedges) <= allowed) return true;
  current.hedges.fetch_sub(1, std::memory_order_acq_rel);
  return false;
}

}  // namespace retrykit
