// The timers that one call waits for: of the delay before its next attempt and
// of attempts' own timeouts, at most one of each.
//
//   ArmedTimers timers;
//   timers.Arm(ArmedTimers::kNextAttempt, now + delay, actions);
//   ...
//   absl::optional<int> whose = timers.Take(fired.timer);
//
// Thread-safety: not thread-safe; part of a call's engine.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_ARMED_TIMERS_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_ARMED_TIMERS_H_

#include "absl/container/inlined_vector.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/step.h"

namespace retrykit {

class ArmedTimers {
 public:
  // Stands for no attempt: the timer of the delay before the next one.
  static constexpr int kNextAttempt = 0;

  // Asks for a timer of the attempt's, or of kNextAttempt; none may be armed.
  void Arm(int attempt, Instant at, Actions& actions);
  void Disarm(int attempt, Actions& actions);
  void DisarmAll(Actions& actions);

  bool armed(int attempt) const;

  // The timer has fired. Whose it was; nullopt: it had been disarmed.
  absl::optional<int> Take(int number);

 private:
  struct Timer {
    int number = 0;
    int attempt = kNextAttempt;
  };

  absl::InlinedVector<Timer, 2> timers_;
  int last_ = 0;  // Numbers given out so far.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_ARMED_TIMERS_H_
