#include "interceptors/engine/send_log.h"

#include <cstddef>

namespace retrykit {

bool SendLog::Keep(int64_t bytes) {
  const int64_t cost = bytes + kMessageOverhead;
  const bool fits = cost_ + cost <= call_limit_ && quota_.TryTake(cost);
  Note(bytes, fits ? cost : 0);
  return fits;
}

void SendLog::Pass(int64_t bytes) { Note(bytes, 0); }

void SendLog::Note(int64_t bytes, int64_t cost) {
  ++asked_;
  asked_bytes_ += bytes;
  cost_ += cost;
  messages_.push_back({cost, asked_bytes_});
}

int64_t SendLog::BytesFrom(int64_t message) const {
  if (message <= first_) return asked_bytes_ - forgotten_bytes_;
  return asked_bytes_ -
         messages_[static_cast<size_t>(message - first_ - 1)].end;
}

bool SendLog::ForgetBelow(int64_t message) {
  if (first_ >= message) return false;
  int64_t freed = 0;
  for (; first_ < message; ++first_) {
    freed += messages_.front().cost;
    forgotten_bytes_ = messages_.front().end;
    messages_.pop_front();
  }
  cost_ -= freed;
  quota_.GiveBack(freed);
  return true;
}

}  // namespace retrykit
