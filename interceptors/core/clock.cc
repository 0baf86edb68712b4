#include "interceptors/core/clock.h"

#include <chrono>

namespace retrykit {
namespace {

class SteadyClock final : public Clock {
 public:
  Instant Now() const override {
    const auto since_origin =
        std::chrono::steady_clock::now().time_since_epoch();
    return Instant::FromNanos(
        std::chrono::duration_cast<std::chrono::nanoseconds>(since_origin)
            .count());
  }
};

}  // namespace

const Clock& MonotonicClock() {
  static const SteadyClock clock;
  return clock;
}

Instant RealTime(Instant at, const Clock& clock) {
  if (at.is_infinite() || &clock == &MonotonicClock()) return at;
  return MonotonicClock().Now() + (at - clock.Now());
}

}  // namespace retrykit
