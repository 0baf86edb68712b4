#include "interceptors/engine/armed_timers.h"

#include <algorithm>

namespace retrykit {

void ArmedTimers::Arm(int attempt, Instant at, Actions& actions) {
  timers_.push_back(Timer{++last_, attempt});
  actions.list.push_back(ArmTimer{last_, at, attempt != kNextAttempt});
}

void ArmedTimers::Disarm(int attempt, Actions& actions) {
  for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
    if (timer->attempt != attempt) continue;
    actions.list.push_back(DisarmTimer{timer->number});
    timers_.erase(timer);
    return;
  }
}

void ArmedTimers::DisarmAll(Actions& actions) {
  for (const Timer& timer : timers_) {
    actions.list.push_back(DisarmTimer{timer.number});
  }
  timers_.clear();
}

bool ArmedTimers::armed(int attempt) const {
  return std::any_of(timers_.begin(), timers_.end(), [&](const Timer& timer) {
    return timer.attempt == attempt;
  });
}

absl::optional<int> ArmedTimers::Take(int number) {
  for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
    if (timer->number != number) continue;
    const int attempt = timer->attempt;
    timers_.erase(timer);
    return attempt;
  }
  return absl::nullopt;
}

}  // namespace retrykit
