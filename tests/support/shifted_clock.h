// The real clock, and a test may move it ahead: what takes an hour (an open
// circuit breaker) is over at once, while deadlines and timers of gRPC go on as
// they do.
//
//   ShiftedClock clock;
//   options.clock = &clock;
//   ...
//   clock.Advance(absl::Minutes(2));
//
// Thread-safety: any thread. Lifetime: longer than the toolkit and its calls.
#ifndef TESTS_SUPPORT_SHIFTED_CLOCK_H_
#define TESTS_SUPPORT_SHIFTED_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"

namespace retrykit {

class ShiftedClock : public Clock {
 public:
  Instant Now() const override {
    return MonotonicClock().Now() + absl::Nanoseconds(ahead_nanos_.load());
  }

  // `by` >= 0.
  void Advance(absl::Duration by) {
    ahead_nanos_.fetch_add(absl::ToInt64Nanoseconds(by));
  }

 private:
  std::atomic<int64_t> ahead_nanos_{0};
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_SHIFTED_CLOCK_H_
