// The account of the messages that the application has sent: how many, which
// of them are still kept for replay, and what that costs.
//
// Thread-safety: not thread-safe; the quota is.
// Lifetime: the quota must outlive it; what is still kept is given back at the
// end.
#ifndef RETRYKIT_INTERCEPTORS_ENGINE_SEND_LOG_H_
#define RETRYKIT_INTERCEPTORS_ENGINE_SEND_LOG_H_

#include <cstdint>
#include <deque>

#include "interceptors/engine/buffer_quota.h"

namespace retrykit {

class SendLog {
 public:
  // `call_limit` in bytes; a message costs its size + kMessageOverhead.
  SendLog(int64_t call_limit, BufferQuota& quota)
      : call_limit_(call_limit), quota_(quota) {}
  ~SendLog() { ForgetBelow(asked_); }
  SendLog(const SendLog&) = delete;
  SendLog& operator=(const SendLog&) = delete;

  // Notes the next message and keeps it. False: that would go over the call's
  // or the toolkit's limit, and it is not counted as kept.
  bool Keep(int64_t bytes);
  // Notes the next message, which no other attempt will need.
  void Pass();

  // Messages below `message` are not needed any more. Returns whether that is
  // news.
  bool ForgetBelow(int64_t message);

  int64_t asked() const { return asked_; }  // Messages so far.
  int64_t first() const { return first_; }  // The first that is still there.
  int64_t cost() const { return cost_; }    // Of all that is kept; bytes.

 private:
  const int64_t call_limit_;
  BufferQuota& quota_;
  int64_t asked_ = 0;
  int64_t first_ = 0;
  int64_t cost_ = 0;
  std::deque<int64_t> costs_;  // From first_ on; 0: over a limit.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_SEND_LOG_H_
