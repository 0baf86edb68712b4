#include "tests/support/recording_observer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "interceptors/core/clock.h"

namespace retrykit {

RecordedEvent::RecordedEvent(const CallEvent& event)
    : type(event.type),
      call(event.call),
      target(event.target),
      method(event.method),
      entry(event.entry),
      attempt(event.attempt),
      attempt_kind(event.attempt_kind),
      code(event.code),
      message(event.message),
      peer(event.peer),
      delay(event.delay),
      delay_source(event.delay_source),
      since_start(event.since_start),
      duration(event.duration),
      reason(event.reason),
      from(event.from),
      to(event.to) {}

void RecordingObserver::OnEvent(const CallEvent& event) {
  MutexLock lock(mu_);
  events_.emplace_back(event);
  changed_.NotifyAll();
}

std::vector<RecordedEvent> RecordingObserver::Events() const {
  MutexLock lock(mu_);
  return events_;
}

std::vector<RecordedEvent> RecordingObserver::Events(
    CallEvent::Type type) const {
  std::vector<RecordedEvent> events = Events();
  events.erase(std::remove_if(events.begin(), events.end(),
                              [type](const RecordedEvent& event) {
                                return event.type != type;
                              }),
               events.end());
  return events;
}

int RecordingObserver::Count(CallEvent::Type type) const {
  MutexLock lock(mu_);
  return CountLocked(type);
}

int RecordingObserver::CountLocked(CallEvent::Type type) const {
  return static_cast<int>(std::count_if(
      events_.begin(), events_.end(),
      [type](const RecordedEvent& event) { return event.type == type; }));
}

bool RecordingObserver::WaitFor(CallEvent::Type type, int count,
                                absl::Duration patience) const {
  const Instant until = MonotonicClock().Now() + patience;
  MutexLock lock(mu_);
  while (CountLocked(type) < count) {
    if (MonotonicClock().Now() >= until) return false;
    changed_.WaitUntil(mu_, until);
  }
  return true;
}

RecordedEvent RecordingObserver::Ended(int nth) const {
  const bool ended = WaitFor(CallEvent::Type::kCallEnded, nth);
  EXPECT_TRUE(ended) << "no call_ended event number " << nth;
  if (!ended) return RecordedEvent(CallEvent());
  return Events(CallEvent::Type::kCallEnded).at(static_cast<size_t>(nth - 1));
}

}  // namespace retrykit
