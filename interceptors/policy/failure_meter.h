// What a closed circuit breaker measures, and its answer to "should it open?".
//
//   FailureMeter meter;
//   meter.Restart(thresholds, MakeCountWindow(100), generation);
//   switch (meter.TryCountQuietly(generation, now)) ...  // A success, no lock.
//   ... under the breaker's mutex:
//   if (meter.Count(/*failed=*/true, /*slow=*/false, now)) ... open ...
//
// A failure or a slow attempt may open the breaker, so they are counted and
// judged under its mutex. A success hardly ever can. While it cannot, and until
// the window next forgets something, the meter is *quiet*: successes only add
// to a tally that few threads share, and the next one who takes the mutex
// carries them over into the window.
//
// Thread-safety: TryCountQuietly() from any thread at any time; all others one
// at a time, under the breaker's mutex. Allocates in Restart() only.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_FAILURE_METER_H_
#define RETRYKIT_INTERCEPTORS_POLICY_FAILURE_METER_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/base/optimization.h"
#include "interceptors/core/instant.h"
#include "interceptors/policy/rolling_window.h"
#include "interceptors/policy/success_tally.h"

namespace retrykit {

// What opens the breaker; circuit_breaker.h tells ranges and meanings.
struct FailureThresholds {
  double failure_rate = 0.5;
  double slow_rate = 1.0;
  int64_t minimum_calls = 20;
  int64_t consecutive_failures = 0;
};

class FailureMeter {
 public:
  enum class Quick : unsigned char {
    kNotQuiet,  // Not counted: take the mutex and Count() it.
    kCounted,   // Done.
    kJudge,  // Counted, but no longer quiet: take the mutex and JudgeAgain().
  };

  // Starts empty, for permits of `generation`; earlier ones no longer count.
  void Restart(const FailureThresholds& thresholds,
               std::unique_ptr<RollingWindow> window, uint64_t generation);

  // The same with thresholds and window as they are.
  void Restart(uint64_t generation, Instant now);

  // A success that was not slow.
  Quick TryCountQuietly(uint64_t generation, Instant now);

  // True: the breaker should open.
  bool Count(bool failed, bool slow, Instant now);
  bool JudgeAgain(Instant now);

 private:
  void CarryOver();
  bool Judge();
  bool ShouldOpen() const;
  bool IsSettled() const;

  // Instant nanos; read by every success, written seldom.
  alignas(ABSL_CACHELINE_SIZE) std::atomic<int64_t> quiet_until_{0};
  SuccessTally tally_;
  uint64_t generation_ = 0;
  FailureThresholds thresholds_;
  std::unique_ptr<RollingWindow> window_;
  int64_t failures_in_a_row_ = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_FAILURE_METER_H_
