// The source of "now", injected wherever time is read.
//
// Production code reads MonotonicClock(); tests and the simulator hand in a
// clock of their own (tests/support/fake_clock.h).
//
// Thread-safety: implementations must allow Now() from any thread.
#ifndef RETRYKIT_INTERCEPTORS_CORE_CLOCK_H_
#define RETRYKIT_INTERCEPTORS_CORE_CLOCK_H_

#include "interceptors/core/instant.h"

namespace retrykit {

class Clock {
 public:
  virtual ~Clock() = default;

  // Never goes back by more than the caller can tolerate: the policies accept
  // an earlier `now` than the last one and treat it as no time having passed.
  virtual Instant Now() const = 0;
};

// The operating system's monotonic clock. Lifetime: the whole program.
const Clock& MonotonicClock();

// What `clock` calls `at`, as MonotonicClock() counts: for waits, which take
// real time whatever clock was injected.
Instant RealTime(Instant at, const Clock& clock);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CORE_CLOCK_H_
