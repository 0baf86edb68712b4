// A point in monotonic time.
//
// Every deadline, timer and age in retrykit is an Instant, so that no rule
// ever depends on the wall clock. An Instant has no meaning outside the
// process that made it.
//
//   Instant deadline = clock.Now() + absl::Milliseconds(300);
//   absl::Duration left = deadline - clock.Now();
//
// Thread-safety: a value type.
#ifndef RETRYKIT_INTERCEPTORS_CORE_INSTANT_H_
#define RETRYKIT_INTERCEPTORS_CORE_INSTANT_H_

#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace retrykit {

// Nanosecond resolution; the range is about 292 years around the clock's
// origin. Arithmetic saturates: InfiniteFuture() plus or minus anything finite
// stays there.
class Instant {
 public:
  // The clock's origin.
  constexpr Instant() = default;

  static constexpr Instant FromNanos(int64_t nanos) { return Instant(nanos); }
  static constexpr Instant InfiniteFuture() { return Instant(kInfinite); }

  constexpr int64_t nanos() const { return nanos_; }
  constexpr bool is_infinite() const { return nanos_ == kInfinite; }

  friend Instant operator+(Instant at, absl::Duration by) {
    if (at.is_infinite()) return at;
    return Instant(Add(at.nanos_, absl::ToInt64Nanoseconds(by)));
  }
  friend Instant operator-(Instant at, absl::Duration by) { return at + -by; }

  // Infinite when `later` is InfiniteFuture() and `earlier` is not.
  friend absl::Duration operator-(Instant later, Instant earlier) {
    if (later == earlier) return absl::ZeroDuration();
    if (later.is_infinite()) return absl::InfiniteDuration();
    if (earlier.is_infinite()) return -absl::InfiniteDuration();
    return absl::Nanoseconds(later.nanos_) - absl::Nanoseconds(earlier.nanos_);
  }

  friend constexpr bool operator==(Instant a, Instant b) {
    return a.nanos_ == b.nanos_;
  }
  friend constexpr bool operator!=(Instant a, Instant b) {
    return a.nanos_ != b.nanos_;
  }
  friend constexpr bool operator<(Instant a, Instant b) {
    return a.nanos_ < b.nanos_;
  }
  friend constexpr bool operator<=(Instant a, Instant b) {
    return a.nanos_ <= b.nanos_;
  }
  friend constexpr bool operator>(Instant a, Instant b) {
    return a.nanos_ > b.nanos_;
  }
  friend constexpr bool operator>=(Instant a, Instant b) {
    return a.nanos_ >= b.nanos_;
  }

 private:
  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max();

  constexpr explicit Instant(int64_t nanos) : nanos_(nanos) {}

  static constexpr int64_t Add(int64_t a, int64_t b) {
    if (b > 0 && a > kInfinite - b) return kInfinite;
    if (b < 0 && a < std::numeric_limits<int64_t>::min() - b) {
      return std::numeric_limits<int64_t>::min();
    }
    return a + b;
  }

  int64_t nanos_ = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CORE_INSTANT_H_
