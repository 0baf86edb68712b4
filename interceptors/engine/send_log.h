// The account of the messages that the application has sent: how many, which
// of them are still there, and what those that are kept for replay cost.
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
  void Pass(int64_t bytes);

  // Messages below `message` are not needed any more. Returns whether that is
  // news.
  bool ForgetBelow(int64_t message);

  int64_t asked() const { return asked_; }  // Messages so far.
  int64_t first() const { return first_; }  // The first that is still there.
  int64_t cost() const { return cost_; }    // Of all that is kept; bytes.
  // Bytes of the messages from `message` on, which must still be there.
  int64_t BytesFrom(int64_t message) const;

 private:
  const int64_t call_limit_;
  BufferQuota& quota_;
  struct Message {
    int64_t cost = 0;  // 0: over a limit.
    int64_t end = 0;   // Bytes of all messages up to this one's end.
  };

  void Note(int64_t bytes, int64_t cost);

  int64_t asked_ = 0;
  int64_t first_ = 0;
  int64_t cost_ = 0;
  int64_t asked_bytes_ = 0;
  int64_t forgotten_bytes_ = 0;
  std::deque<Message> messages_;  // From first_ on.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ENGINE_SEND_LOG_H_
