// The attempts of late: how many, how many failed, how many were slow.
//
// Two windows with one face. A time window forgets by age, in ten buckets: an
// attempt stays for nine to ten tenths of the window. A count window holds the
// last N attempts exactly.
//
//   std::unique_ptr<RollingWindow> window =
//       MakeTimeWindow(absl::Seconds(10), now);
//   window->Advance(now);
//   window->Add(/*failed=*/true, /*slow=*/false);
//   WindowCounts counts = window->counts();
//
// Successes come in batches, so that a caller may gather them elsewhere
// (success_tally.h) and hand them over before they matter.
//
// Thread-safety: none; the circuit breaker guards it with its mutex.
// Errors: none. Allocates on construction only.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_ROLLING_WINDOW_H_
#define RETRYKIT_INTERCEPTORS_POLICY_ROLLING_WINDOW_H_

#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "interceptors/core/instant.h"

namespace retrykit {

struct WindowCounts {
  int64_t attempts = 0;
  int64_t failures = 0;
  int64_t slow = 0;  // An attempt may be both slow and a failure.
};

class RollingWindow {
 public:
  virtual ~RollingWindow() = default;

  // Drops what is too old at `now`. An earlier `now` than before drops nothing.
  virtual void Advance(Instant now) = 0;

  // Adds to the time of the last Advance(). `count` >= 0.
  virtual void AddSuccesses(int64_t count) = 0;
  virtual void Add(bool failed, bool slow) = 0;

  virtual WindowCounts counts() const = 0;

  // From here on Advance() may drop something; InfiniteFuture(): never.
  virtual Instant NextDrop() const = 0;

  // Empty, as if made at `now`.
  virtual void Clear(Instant now) = 0;
};

// `window` > 0; a bucket is a tenth of it, rounded down to a whole nanosecond
// and at least one. InfiniteDuration() never forgets.
std::unique_ptr<RollingWindow> MakeTimeWindow(absl::Duration window,
                                              Instant now);

// The last `attempts` >= 1 ones; 16 bytes each.
std::unique_ptr<RollingWindow> MakeCountWindow(int attempts);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_ROLLING_WINDOW_H_
