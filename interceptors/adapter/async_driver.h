// Drives a call's engine from many threads: completions, timers and the
// application post what happened; whoever posts first does the engine's
// actions, in order, until none is left.
//
//   driver.Post(CallStarted{});
//   ...
//   driver.Post(AttemptEnded{1, outcome});   // from another thread
//
// The mutex is held only while the engine steps. Actions are done after
// unlock, by one thread at a time: a CancelAttempt that a second thread's
// event asked for is done after the StartAttempt that came before it.
//
// Thread-safety: Post may be called from any thread, from inside an action
// too.
// Lifetime: the caller of Post keeps the driver and its port alive while it
// runs; armed timers keep `target` alive.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_ASYNC_DRIVER_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_ASYNC_DRIVER_H_

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/ports.h"
#include "interceptors/engine/step.h"

namespace retrykit {

class AsyncDriver {
 public:
  // `target` is what timers are armed for; it calls Post(TimerFired{timer}).
  // It is locked only when a timer is armed.
  AsyncDriver(const CallSetup& setup, const Clock& clock, CallPort& port,
              TimerPort& timers, std::weak_ptr<TimerTarget> target);

  void Post(const StepEvent& event);

 private:
  void Execute(Actions& actions);
  void Do(const ArmTimer& action);
  void Do(const DisarmTimer& action);
  template <typename PortAction>
  void Do(const PortAction& action) {
    port_.Do(action);
  }

  const Clock& clock_;
  CallPort& port_;
  TimerPort& timers_;
  const std::weak_ptr<TimerTarget> target_;
  TimerPort::Handle armed_;  // Touched by the executing thread alone.

  Mutex mu_;
  CallEngine engine_ ABSL_GUARDED_BY(mu_);
  bool executing_ ABSL_GUARDED_BY(mu_) = false;
  absl::InlinedVector<Actions, 1> waiting_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_ASYNC_DRIVER_H_
