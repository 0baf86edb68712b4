#include "tests/support/real_time.h"

#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"

namespace retrykit {

std::chrono::system_clock::time_point DeadlineIn(absl::Duration from_now) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(
             absl::ToChronoNanoseconds(from_now));
}

absl::Duration TimeLeft(std::chrono::system_clock::time_point deadline) {
  if (deadline == std::chrono::system_clock::time_point::max()) {
    return absl::InfiniteDuration();
  }
  return absl::FromChrono(deadline - std::chrono::system_clock::now());
}

bool Eventually(const std::function<bool()>& condition,
                absl::Duration patience) {
  const Instant until = MonotonicClock().Now() + patience;
  while (!condition()) {
    if (MonotonicClock().Now() >= until) return condition();
    LetPass(absl::Milliseconds(1));
  }
  return true;
}

void LetPass(absl::Duration duration) {
  const Instant until = MonotonicClock().Now() + duration;
  Mutex mu;
  CondVar never;
  MutexLock lock(mu);
  while (MonotonicClock().Now() < until) never.WaitUntil(mu, until);
}

}  // namespace retrykit
