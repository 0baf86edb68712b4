#include "interceptors/engine/send_log.h"

namespace retrykit {

bool SendLog::Keep(int64_t bytes) {
  const int64_t cost = bytes + kMessageOverhead;
  const bool fits = cost_ + cost <= call_limit_ && quota_.TryTake(cost);
  ++asked_;
  costs_.push_back(fits ? cost : 0);
  if (fits) cost_ += cost;
  return fits;
}

void SendLog::Pass() {
  ++asked_;
  costs_.push_back(0);
}

bool SendLog::ForgetBelow(int64_t message) {
  if (first_ >= message) return false;
  int64_t freed = 0;
  for (; first_ < message; ++first_) {
    freed += costs_.front();
    costs_.pop_front();
  }
  cost_ -= freed;
  quota_.GiveBack(freed);
  return true;
}

}  // namespace retrykit
