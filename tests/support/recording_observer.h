// Remembers every event, so that a test can wait for one and look at it.
//
//   auto observer = std::make_shared<RecordingObserver>();
//   options.observers.push_back(observer);
//   ...
//   ASSERT_TRUE(observer->WaitFor(CallEvent::Type::kRetryScheduled));
//   EXPECT_EQ(observer->Ended().reason, Reason::kMaxAttempts);
//
// Thread-safety: all members may be called from any thread.
#ifndef TESTS_SUPPORT_RECORDING_OBSERVER_H_
#define TESTS_SUPPORT_RECORDING_OBSERVER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/events.h"
#include "tests/support/real_time.h"

namespace retrykit {

// A CallEvent that owns its texts.
struct RecordedEvent {
  explicit RecordedEvent(const CallEvent& event);

  CallEvent::Type type;
  uint64_t call;
  std::string target;
  std::string method;
  std::string entry;
  int attempt;
  AttemptKind attempt_kind;
  absl::StatusCode code;
  std::string message;
  std::string peer;
  absl::Duration delay;
  DelaySource delay_source;
  absl::Duration since_start;
  absl::Duration duration;
  Reason reason;
  CircuitBreaker::State from;
  CircuitBreaker::State to;
};

class RecordingObserver : public Observer {
 public:
  void OnEvent(const CallEvent& event) override;

  std::vector<RecordedEvent> Events() const;
  std::vector<RecordedEvent> Events(CallEvent::Type type) const;
  int Count(CallEvent::Type type) const;

  // True once `count` events of the type have been recorded; false if that
  // takes longer than `patience`.
  bool WaitFor(CallEvent::Type type, int count = 1,
               absl::Duration patience = kPatience) const;

  // The end of the `nth` call to end, waited for; fails the test if it does
  // not come.
  RecordedEvent Ended(int nth = 1) const;

 private:
  int CountLocked(CallEvent::Type type) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  mutable Mutex mu_;
  mutable CondVar changed_;
  std::vector<RecordedEvent> events_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_RECORDING_OBSERVER_H_
