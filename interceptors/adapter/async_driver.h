// Drives a call's engine from many threads: completions, timers and the
// application post what happened; whoever posts first does the engine's
// actions, in order, until none is left.
//
//   AsyncDriver<CallEngine, CallPort> driver(clock, port, timers, me, setup);
//   driver.Post(CallStarted{});
//   ...
//   driver.Post(AttemptEnded{1, outcome});   // from another thread
//
// The mutex is held only while the engine steps. Actions are done after
// unlock, by one thread at a time: a CancelAttempt that a second thread's
// event asked for is done after the StartAttempt that came before it.
//
// `Engine` has Event, Actions and Step; `Port` has Do for every action but
// ArmTimer and DisarmTimer, and Observe.
//
// Thread-safety: Post may be called from any thread, from inside an action
// too.
// Lifetime: the caller of Post keeps the driver and its port alive while it
// runs; armed timers keep `target` alive.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_ASYNC_DRIVER_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_ASYNC_DRIVER_H_

#include <memory>
#include <utility>
#include <variant>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/ports.h"
#include "interceptors/engine/step.h"

namespace retrykit {

// Added to the number that TimerTarget is told, where the timer is an attempt's
// own timeout: the call's predicate is asked then, which must not happen while
// the engine steps.
constexpr int kAttemptTimeout = 1 << 30;

template <typename Engine, typename Port>
class AsyncDriver {
 public:
  using Event = typename Engine::Event;
  using Actions = typename Engine::Actions;

  // `target` is what timers are armed for; it posts TimerFired. It is locked
  // only when a timer is armed. `setup` is the engine's.
  template <typename... Setup>
  AsyncDriver(const Clock& clock, Port& port, TimerPort& timers,
              std::weak_ptr<TimerTarget> target, const Setup&... setup)
      : clock_(clock),
        port_(port),
        timers_(timers),
        target_(std::move(target)),
        engine_(setup...) {}

  void Post(const Event& event);

 private:
  void Execute(Actions& actions);
  void Do(const ArmTimer& action);
  void Do(const DisarmTimer& action);
  template <typename PortAction>
  void Do(const PortAction& action) {
    port_.Do(action);
  }

  const Clock& clock_;
  Port& port_;
  TimerPort& timers_;
  const std::weak_ptr<TimerTarget> target_;
  // By the engine's number; those that have fired too. Touched by the
  // executing thread alone.
  absl::InlinedVector<std::pair<int, TimerPort::Handle>, 2> armed_;

  Mutex mu_;
  Engine engine_ ABSL_GUARDED_BY(mu_);
  bool executing_ ABSL_GUARDED_BY(mu_) = false;
  absl::InlinedVector<Actions, 1> waiting_ ABSL_GUARDED_BY(mu_);
};

template <typename Engine, typename Port>
void AsyncDriver<Engine, Port>::Post(const Event& event) {
  const Instant now = clock_.Now();
  absl::InlinedVector<Actions, 1> todo;
  {
    MutexLock lock(mu_);
    waiting_.push_back(engine_.Step(event, now));
    // Whoever executes finds it there, and does it in order.
    if (std::exchange(executing_, true)) return;
    todo.swap(waiting_);
  }
  while (true) {
    for (Actions& actions : todo) Execute(actions);
    todo.clear();
    MutexLock lock(mu_);
    todo.swap(waiting_);
    if (!todo.empty()) continue;
    executing_ = false;
    return;
  }
}

template <typename Engine, typename Port>
void AsyncDriver<Engine, Port>::Do(const ArmTimer& action) {
  std::shared_ptr<TimerTarget> target = target_.lock();
  if (target == nullptr) return;  // Nobody waits for it any more.
  const int told =
      action.attempt_timeout ? action.timer | kAttemptTimeout : action.timer;
  armed_.emplace_back(action.timer,
                      timers_.Arm(action.at, std::move(target), told));
}

template <typename Engine, typename Port>
void AsyncDriver<Engine, Port>::Do(const DisarmTimer& action) {
  for (auto armed = armed_.begin(); armed != armed_.end(); ++armed) {
    if (armed->first != action.timer) continue;
    timers_.Disarm(armed->second);
    armed_.erase(armed);
    return;
  }
}

template <typename Engine, typename Port>
void AsyncDriver<Engine, Port>::Execute(Actions& actions) {
  for (const CallEvent& event : actions.events) port_.Observe(event);
  for (const auto& action : actions.list) {
    std::visit([this](const auto& todo) { this->Do(todo); }, action);
  }
}

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_ASYNC_DRIVER_H_
