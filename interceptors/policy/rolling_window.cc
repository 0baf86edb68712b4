#include "interceptors/policy/rolling_window.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace retrykit {
namespace {

class TimeWindow final : public RollingWindow {
 public:
  TimeWindow(absl::Duration window, Instant now)
      : width_(std::max(absl::Nanoseconds(1),
                        absl::Floor(window / 10, absl::Nanoseconds(1)))),
        bucket_start_(now) {}

  void Advance(Instant now) override {
    if (now < NextDrop()) return;
    absl::Duration into_bucket;
    const int64_t steps =
        absl::IDivDuration(now - bucket_start_, width_, &into_bucket);
    for (int64_t i = std::min<int64_t>(steps, kBuckets); i > 0; --i) Step();
    bucket_start_ = now - into_bucket;
  }

  void AddSuccesses(int64_t count) override {
    buckets_[current_].attempts += count;
    total_.attempts += count;
  }

  void Add(bool failed, bool slow) override {
    for (WindowCounts* counts : {&buckets_[current_], &total_}) {
      counts->attempts += 1;
      counts->failures += failed ? 1 : 0;
      counts->slow += slow ? 1 : 0;
    }
  }

  WindowCounts counts() const override { return total_; }
  Instant NextDrop() const override { return bucket_start_ + width_; }

  void Clear(Instant now) override {
    buckets_.fill({});
    total_ = {};
    bucket_start_ = now;
  }

 private:
  static constexpr size_t kBuckets = 10;

  // The oldest bucket is emptied and becomes the current one.
  void Step() {
    current_ = (current_ + 1) % kBuckets;
    WindowCounts& oldest = buckets_[current_];
    total_.attempts -= oldest.attempts;
    total_.failures -= oldest.failures;
    total_.slow -= oldest.slow;
    oldest = {};
  }

  const absl::Duration width_;
  Instant bucket_start_;
  size_t current_ = 0;
  std::array<WindowCounts, kBuckets> buckets_ = {};
  WindowCounts total_;
};

// Keeps the places of failed and slow attempts only; all between them were
// successes, of which the number is enough.
class CountWindow final : public RollingWindow {
 public:
  explicit CountWindow(int attempts)
      : length_(std::max(1, attempts)), kept_(static_cast<size_t>(length_)) {}

  void Advance(Instant) override {}

  void AddSuccesses(int64_t count) override {
    seen_ += count;
    DropOld();
  }

  void Add(bool failed, bool slow) override {
    AddSuccesses(1);
    if (!failed && !slow) return;
    // There is room: at most length_ - 1 others are among the last length_.
    kept_[(first_ + size_) % kept_.size()] = {seen_, failed, slow};
    ++size_;
    failures_ += failed ? 1 : 0;
    slow_ += slow ? 1 : 0;
  }

  WindowCounts counts() const override {
    return {std::min(seen_, length_), failures_, slow_};
  }
  Instant NextDrop() const override { return Instant::InfiniteFuture(); }

  void Clear(Instant) override {
    seen_ = failures_ = slow_ = 0;
    first_ = size_ = 0;
  }

 private:
  struct Kept {
    int64_t place;  // 1 for the first attempt seen.
    bool failed;
    bool slow;
  };

  void DropOld() {
    while (size_ > 0 && kept_[first_].place <= seen_ - length_) {
      failures_ -= kept_[first_].failed ? 1 : 0;
      slow_ -= kept_[first_].slow ? 1 : 0;
      first_ = (first_ + 1) % kept_.size();
      --size_;
    }
  }

  const int64_t length_;
  int64_t seen_ = 0;
  int64_t failures_ = 0;
  int64_t slow_ = 0;
  std::vector<Kept> kept_;  // A ring: size_ of them, the oldest at first_.
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace

std::unique_ptr<RollingWindow> MakeTimeWindow(absl::Duration window,
                                              Instant now) {
  return std::make_unique<TimeWindow>(window, now);
}

std::unique_ptr<RollingWindow> MakeCountWindow(int attempts) {
  return std::make_unique<CountWindow>(attempts);
}

}  // namespace retrykit
