// Drives a call's engine on the thread that made the call, which waits
// anyway: no hop to another thread, and no library thread that could be
// starved by calls made on library threads.
//
//   BlockingDriver driver(setup, clock, port);
//   driver.Run(CallStarted{});   // Returns after FinishCall was done.
//   driver.Cancel();             // Meanwhile, from any other thread.
//
// Thread-safety: Run on one thread; Cancel from any, at any time.
// Lifetime: the port must outlive the driver.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_BLOCKING_DRIVER_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_BLOCKING_DRIVER_H_

#include "absl/base/thread_annotations.h"
#include "absl/types/optional.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/ports.h"
#include "interceptors/engine/step.h"

namespace retrykit {

// A port whose attempts are waited for on the calling thread.
class BlockingPort : public CallPort {
 public:
  // Waits until an attempt has ended or `until`. Called only while at least
  // one attempt is live.
  virtual absl::optional<AttemptEnded> Wait(Instant until) = 0;

  // Makes the live attempts end soon. Called from any thread, also before the
  // first attempt and after the last.
  virtual void CancelLive() = 0;
};

class BlockingDriver {
 public:
  BlockingDriver(const CallSetup& setup, const Clock& clock,
                 BlockingPort& port);

  // Steps with `first` and drives the call to its end.
  void Run(const StepEvent& first);

  // The application's cancel: ends the wait, whatever it waits for.
  void Cancel();

 private:
  void Step(const StepEvent& event);
  void Do(const StartAttempt& action);
  void Do(const ArmTimer& action);
  void Do(const DisarmTimer&) { armed_ = absl::nullopt; }
  template <typename PortAction>
  void Do(const PortAction& action) {
    port_.Do(action);
  }

  // The next thing that happens: a cancel, the end of an attempt, a timer.
  absl::optional<StepEvent> NextEvent();
  bool cancelled();
  // Waits for the timer or a cancel; no attempt is live.
  void Sleep();

  const Clock& clock_;
  BlockingPort& port_;
  CallEngine engine_;
  absl::optional<ArmTimer> armed_;
  int live_ = 0;  // Attempts that were started and have not been seen to end.

  Mutex mu_;
  CondVar cancelled_changed_;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_BLOCKING_DRIVER_H_
