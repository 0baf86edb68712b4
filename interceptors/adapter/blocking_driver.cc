#include "interceptors/adapter/blocking_driver.h"

#include <variant>

#include "absl/status/status.h"

namespace retrykit {

BlockingDriver::BlockingDriver(const CallSetup& setup, const Clock& clock,
                               BlockingPort& port)
    : clock_(clock), port_(port), engine_(setup) {}

void BlockingDriver::Run(const StepEvent& first) {
  Step(first);
  while (!engine_.finished()) {
    if (absl::optional<StepEvent> event = NextEvent()) Step(*event);
  }
}

void BlockingDriver::Cancel() {
  {
    MutexLock lock(mu_);
    cancelled_ = true;
    cancelled_changed_.NotifyAll();
  }
  port_.CancelLive();
}

void BlockingDriver::Step(const StepEvent& event) {
  const Actions actions = engine_.Step(event, clock_.Now());
  for (const CallEvent& told : actions.events) port_.Observe(told);
  for (const Action& action : actions.list) {
    std::visit([this](const auto& todo) { Do(todo); }, action);
  }
}

void BlockingDriver::Do(const StartAttempt& action) {
  ++live_;
  port_.Do(action);
  // A cancel that came before the attempt could be reached by it.
  if (cancelled()) port_.CancelLive();
}

void BlockingDriver::Do(const ArmTimer& action) { armed_ = action; }

absl::optional<StepEvent> BlockingDriver::NextEvent() {
  if (live_ > 0) {
    const Instant until =
        armed_ ? RealTime(armed_->at, clock_) : Instant::InfiniteFuture();
    if (absl::optional<AttemptEnded> ended = port_.Wait(until)) {
      --live_;
      // A success counts though the cancel was on its way (spec: the verdict).
      if (ended->outcome.code != absl::StatusCode::kOk && cancelled())
        return CallCancelled{};
      return *ended;
    }
  } else {
    Sleep();
  }
  if (cancelled()) return CallCancelled{};
  if (!armed_ || clock_.Now() < armed_->at) return absl::nullopt;
  const TimerFired fired{armed_->timer};
  armed_ = absl::nullopt;
  return fired;
}

bool BlockingDriver::cancelled() {
  MutexLock lock(mu_);
  return cancelled_;
}

void BlockingDriver::Sleep() {
  const Instant until =
      RealTime(armed_ ? armed_->at : Instant::InfiniteFuture(), clock_);
  MutexLock lock(mu_);
  while (!cancelled_ && MonotonicClock().Now() < until) {
    cancelled_changed_.WaitUntil(mu_, until);
  }
}

}  // namespace retrykit
