#include "tests/soak/soak_faults.h"

#include "interceptors/core/clock.h"

namespace retrykit {

namespace {

// About one connection in a thousand pieces breaks; a call is about ten.
FaultChances Chances() {
  FaultChances chances;
  chances.reset = 0.001;
  chances.stall = 0.001;
  chances.stall_for = absl::Milliseconds(100);
  chances.delay = 0.02;
  chances.longest_delay = absl::Milliseconds(30);
  return chances;
}

}  // namespace

SoakFaults::SoakFaults(FaultProxy& proxy, uint64_t seed)
    : proxy_(proxy), random_(seed) {
  proxy_.SetChances(Chances());
  thread_ = std::thread([this] { Run(); });
}

SoakFaults::~SoakFaults() {
  {
    MutexLock lock(mu_);
    ending_ = true;
    ending_changed_.NotifyAll();
  }
  thread_.join();
  proxy_.SetChances(FaultChances());
}

void SoakFaults::Run() {
  while (Wait(absl::Milliseconds(200 + random_() % 600))) Disturb();
}

void SoakFaults::Disturb() {
  const absl::Duration length = absl::Milliseconds(20 + random_() % 200);
  switch (random_() % 5) {
    case 0:
      return proxy_.ResetAll();
    case 1:
      return proxy_.KillAll();
    case 2:
      proxy_.Stall();
      Wait(length);
      return proxy_.Resume();
    case 3:
      proxy_.SetDelay(length / 4);
      Wait(length);
      return proxy_.SetDelay(absl::ZeroDuration());
    default:
      proxy_.Refuse();
      proxy_.KillAll();
      Wait(length);
      return proxy_.Accept();
  }
}

bool SoakFaults::Wait(absl::Duration duration) {
  const Instant until = MonotonicClock().Now() + duration;
  MutexLock lock(mu_);
  while (!ending_ && MonotonicClock().Now() < until) {
    ending_changed_.WaitUntil(mu_, until);
  }
  return !ending_;
}

}  // namespace retrykit
