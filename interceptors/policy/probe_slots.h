// The permits of a half-open circuit breaker: so many at once, each with a
// ticket, so that one given out again makes its earlier holder's result void.
//
//   ProbeSlots slots;
//   slots.Reset(3);
//   absl::optional<ProbeSlots::Probe> probe = slots.TryTake(now, max_age);
//   ...
//   if (slots.Return(*probe)) ... its result counts ...
//
// Thread-safety: none; the circuit breaker guards it with its mutex.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_PROBE_SLOTS_H_
#define RETRYKIT_INTERCEPTORS_POLICY_PROBE_SLOTS_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"

namespace retrykit {

class ProbeSlots {
 public:
  struct Probe {
    int slot = -1;
    uint64_t ticket = 0;  // Never zero, never given twice.
  };

  // `count` >= 1 free slots; all probes given out before are void.
  void Reset(int count);

  // A free slot, or else the one whose holder has had it longest, if that is
  // `max_age` or more; nullopt when there is neither.
  absl::optional<Probe> TryTake(Instant now, absl::Duration max_age);

  // Asks without taking.
  bool WouldTake(Instant now, absl::Duration max_age) const;

  // Frees the slot. False, and no effect, if `probe` does not hold it: it came
  // back before, or was given out again.
  bool Return(const Probe& probe);

 private:
  struct Slot {
    uint64_t ticket = 0;  // Of the holder; zero: free.
    Instant taken;
  };

  // The slot that TryTake() would give, or -1; slots_.size(): a new one.
  int Choose(Instant now, absl::Duration max_age) const;

  size_t count_ = 0;
  std::vector<Slot> slots_;  // At most count_; made as they are needed.
  uint64_t last_ticket_ = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_PROBE_SLOTS_H_
