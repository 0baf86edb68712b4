#include "tests/support/attempt_log.h"

#include <utility>

#include "interceptors/core/clock.h"

namespace retrykit {

std::string SeenAttempt::previous_attempts() const {
  return ValueOf(metadata, "x-retrykit-previous-attempts");
}

int AttemptLog::Add(const std::string& id, SeenAttempt attempt) {
  MutexLock lock(mu_);
  AttemptList& attempts = attempts_[id];
  const int number = static_cast<int>(attempts.size()) + 1;
  attempt.number = number;
  attempts.push_back(std::move(attempt));
  ++total_;
  changed_.NotifyAll();
  return number;
}

void AttemptLog::Update(const std::string& id, int number,
                        const std::function<void(SeenAttempt&)>& change) {
  MutexLock lock(mu_);
  change(attempts_[id].at(static_cast<size_t>(number - 1)));
  changed_.NotifyAll();
}

std::vector<SeenAttempt> AttemptLog::Attempts(const std::string& id) const {
  MutexLock lock(mu_);
  const auto found = attempts_.find(id);
  return found == attempts_.end() ? AttemptList() : found->second;
}

int AttemptLog::total() const {
  MutexLock lock(mu_);
  return total_;
}

bool AttemptLog::WaitForAttempts(const std::string& id, int count,
                                 absl::Duration patience) const {
  return WaitFor(id, patience, [count](const AttemptList& attempts) {
    return static_cast<int>(attempts.size()) >= count;
  });
}

bool AttemptLog::WaitForEnd(const std::string& id, int number,
                            absl::Duration patience) const {
  return WaitFor(id, patience, [number](const AttemptList& attempts) {
    const auto at = static_cast<size_t>(number - 1);
    return attempts.size() > at && attempts[at].ended;
  });
}

bool AttemptLog::WaitForCancelled(const std::string& id, int number,
                                  absl::Duration patience) const {
  return WaitForEnd(id, number, patience) &&
         Attempts(id).at(static_cast<size_t>(number - 1)).cancelled;
}

bool AttemptLog::WaitFor(
    const std::string& id, absl::Duration patience,
    const std::function<bool(const AttemptList&)>& condition) const {
  const Instant until = MonotonicClock().Now() + patience;
  const AttemptList none;
  MutexLock lock(mu_);
  while (true) {
    const auto found = attempts_.find(id);
    if (condition(found == attempts_.end() ? none : found->second)) return true;
    if (MonotonicClock().Now() >= until) return false;
    changed_.WaitUntil(mu_, until);
  }
}

}  // namespace retrykit
