#include "interceptors/policy/probe_slots.h"

#include <algorithm>
#include <cstddef>

namespace retrykit {

void ProbeSlots::Reset(int count) {
  count_ = static_cast<size_t>(std::max(1, count));
  slots_.clear();
}

absl::optional<ProbeSlots::Probe> ProbeSlots::TryTake(Instant now,
                                                      absl::Duration max_age) {
  const int chosen = Choose(now, max_age);
  if (chosen < 0) return absl::nullopt;
  if (static_cast<size_t>(chosen) == slots_.size()) slots_.emplace_back();
  slots_[static_cast<size_t>(chosen)] = {++last_ticket_, now};
  return Probe{chosen, last_ticket_};
}

bool ProbeSlots::WouldTake(Instant now, absl::Duration max_age) const {
  return Choose(now, max_age) >= 0;
}

bool ProbeSlots::Return(const Probe& probe) {
  const auto index = static_cast<size_t>(probe.slot);
  if (probe.ticket == 0 || index >= slots_.size()) return false;
  if (slots_[index].ticket != probe.ticket) return false;
  slots_[index].ticket = 0;
  return true;
}

int ProbeSlots::Choose(Instant now, absl::Duration max_age) const {
  // The free one, or the one taken first: a free slot goes before any other.
  const auto chosen = std::min_element(slots_.begin(), slots_.end(),
                                       [](const Slot& a, const Slot& b) {
                                         if ((a.ticket == 0) != (b.ticket == 0))
                                           return a.ticket == 0;
                                         return a.taken < b.taken;
                                       });
  const bool free = chosen != slots_.end() && chosen->ticket == 0;
  if (!free && slots_.size() < count_) return static_cast<int>(slots_.size());
  if (chosen == slots_.end()) return -1;
  if (!free && now - chosen->taken < max_age) return -1;
  return static_cast<int>(chosen - slots_.begin());
}

}  // namespace retrykit
