// One attempt at a scripted server, from its arrival to its end.
//
// Lives on the server's completion queue: one thread, so nothing here is
// locked. At most one operation of the script is in flight, besides the notice
// that the call is over.
#ifndef TESTS_SUPPORT_SCRIPTED_CALL_H_
#define TESTS_SUPPORT_SCRIPTED_CALL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "tests/support/attempt_log.h"
#include "tests/support/attempt_script.h"

namespace retrykit {

// What a completion queue's tag points to.
class QueueTag {
 public:
  explicit QueueTag(std::function<void(bool)> run) : run_(std::move(run)) {}
  void Run(bool ok) { run_(ok); }

 private:
  std::function<void(bool)> run_;
};

class ScriptedCall {
 public:
  // The server, as its calls see it.
  class Host {
   public:
    virtual ~Host() = default;
    virtual grpc::AsyncGenericService& service() = 0;
    virtual grpc::ServerCompletionQueue& queue() = 0;
    virtual AttemptLog& log() = 0;
    virtual AttemptScript ScriptFor(const std::string& id, int number) = 0;
    virtual bool GateIsOpen(const std::string& gate) = 0;
    virtual void AcceptNext() = 0;
    // `call` is done with; deletes it.
    virtual void Forget(ScriptedCall* call) = 0;
  };

  // Waits for a call to arrive.
  explicit ScriptedCall(Host& host);

  // A gate has been opened.
  void OnGateOpened();

 private:
  void OnArrived(bool ok);
  void OnOperationDone(bool ok);
  void OnOver();

  // Finds out which call it is: by its metadata, or else by its first message.
  void Identify();
  bool identified() const { return number_ > 0; }
  void Begin(std::string id);
  SeenAttempt Describe() const;

  // Performs actions until one has to be waited for.
  void Advance();
  // True if the action is done already.
  bool Perform(const ServerAction& action);
  bool Read();
  bool Send(const std::string& bytes);
  bool AwaitGate(const std::string& gate);
  bool Delay(absl::Duration delay);
  bool Finish(const grpc::Status& status);

  void OnMessage();
  void Record(const std::string& message);
  std::string Echo(const std::string& text) const;
  void ForgetIfOver();

  Host& host_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  QueueTag arrived_{[this](bool ok) { OnArrived(ok); }};
  QueueTag operation_{[this](bool ok) { OnOperationDone(ok); }};
  QueueTag over_{[this](bool) { OnOver(); }};
  grpc::Alarm alarm_;

  std::string id_;
  int number_ = 0;  // 0 until identified.
  AttemptScript script_;
  size_t next_ = 0;  // The action to perform next.
  ServerAction::Type current_ = ServerAction::Type::kFinish;
  std::string awaited_gate_;  // Empty: waits for none.
  grpc::ByteBuffer incoming_;
  std::deque<std::string> read_ahead_;  // Read in order to identify.
  std::string last_request_;
  bool operation_pending_ = false;
  bool answered_ = false;
  bool is_over_ = false;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_SCRIPTED_CALL_H_
