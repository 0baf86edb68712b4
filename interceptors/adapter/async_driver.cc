#include "interceptors/adapter/async_driver.h"

#include <utility>
#include <variant>

namespace retrykit {

AsyncDriver::AsyncDriver(const CallSetup& setup, const Clock& clock,
                         CallPort& port, TimerPort& timers,
                         std::weak_ptr<TimerTarget> target)
    : clock_(clock),
      port_(port),
      timers_(timers),
      target_(std::move(target)),
      engine_(setup) {}

void AsyncDriver::Post(const StepEvent& event) {
  const Instant now = clock_.Now();
  Actions actions;
  {
    MutexLock lock(mu_);
    actions = engine_.Step(event, now);
    if (executing_) {
      // Whoever executes finds it there, and does it in order.
      waiting_.push_back(std::move(actions));
      return;
    }
    executing_ = true;
  }
  absl::InlinedVector<Actions, 1> next;
  while (true) {
    Execute(actions);
    for (Actions& later : next) Execute(later);
    next.clear();
    actions = Actions();
    MutexLock lock(mu_);
    next.swap(waiting_);
    if (next.empty()) {
      executing_ = false;
      return;
    }
  }
}

void AsyncDriver::Execute(Actions& actions) {
  for (const CallEvent& event : actions.events) port_.Observe(event);
  for (const Action& action : actions.list) {
    std::visit([this](const auto& todo) { Do(todo); }, action);
  }
}

void AsyncDriver::Do(const ArmTimer& action) {
  armed_ = timers_.Arm(action.at, target_.lock(), action.timer);
}

void AsyncDriver::Do(const DisarmTimer&) {
  timers_.Disarm(std::exchange(armed_, {}));
}

}  // namespace retrykit
