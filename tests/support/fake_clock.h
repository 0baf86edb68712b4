// A clock that stands still until a test moves it.
//
//   FakeClock clock;
//   CircuitBreaker breaker(options, clock.Now());
//   clock.Advance(absl::Seconds(5));
//
// Thread-safety: any thread.
#ifndef RETRYKIT_TESTS_SUPPORT_FAKE_CLOCK_H_
#define RETRYKIT_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"

namespace retrykit {

class FakeClock final : public Clock {
 public:
  // Any time but zero, so that a forgotten Instant() is not "now" by chance.
  FakeClock() : FakeClock(Instant::FromNanos(1'000'000'000'000)) {}
  explicit FakeClock(Instant now) : nanos_(now.nanos()) {}

  Instant Now() const override { return Instant::FromNanos(nanos_.load()); }

  // Negative: back, as no clock of production goes.
  void Advance(absl::Duration by) {
    nanos_.fetch_add(absl::ToInt64Nanoseconds(by));
  }
  void Set(Instant now) { nanos_.store(now.nanos()); }

 private:
  std::atomic<int64_t> nanos_;
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_SUPPORT_FAKE_CLOCK_H_
