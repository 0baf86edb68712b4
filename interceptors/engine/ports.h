// What the engine's driver needs from the world: a way to the wire, timers,
// and somebody to tell.
//
// Thread-safety: said at each port.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_PORTS_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_PORTS_H_

#include <cstdint>
#include <memory>

#include "interceptors/core/instant.h"
#include "interceptors/engine/events.h"
#include "interceptors/engine/step.h"

namespace retrykit {

// One call's way to the wire and back to the application. The driver calls it
// from one thread at a time, in the engine's order, without a lock held.
class CallPort {
 public:
  virtual ~CallPort() = default;

  virtual void Do(const StartAttempt& action) = 0;
  virtual void Do(const CancelAttempt& action) = 0;
  virtual void Do(const CommitAttempt& action) = 0;
  virtual void Do(const FinishCall& action) = 0;
  virtual void Observe(const CallEvent& event) = 0;
};

// Told when a timer fires. Kept alive by the timer.
class TimerTarget {
 public:
  virtual ~TimerTarget() = default;
  virtual void OnTimer(int timer) = 0;
};

// Thread-safe. A timer fires once, on a thread of the implementation's, or is
// disarmed; Disarm may come too late, which is no error.
class TimerPort {
 public:
  struct Handle {
    Instant at;
    uint64_t id = 0;  // 0: no timer.
  };

  virtual ~TimerPort() = default;
  virtual Handle Arm(Instant at, std::shared_ptr<TimerTarget> target,
                     int timer) = 0;
  // True if the timer will not fire any more.
  virtual bool Disarm(const Handle& handle) = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_PORTS_H_
