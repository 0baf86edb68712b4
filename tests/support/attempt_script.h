// What a scripted server does with one attempt: a list of actions, one after
// the other.
//
//   server.Script("call",
//   {AttemptScript::Fail(grpc::ABORTED).WithPushback("200"),
//                          AttemptScript::Silent(),
//                          AttemptScript::Ok("done").AfterGate("go")});
//
// The factories answer a unary call: they read the request, wait if told to,
// and answer. Anything else, streams for instance, is written action by action
// with Of().
//
// Thread-safety: a value type.
#ifndef TESTS_SUPPORT_ATTEMPT_SCRIPT_H_
#define TESTS_SUPPORT_ATTEMPT_SCRIPT_H_

#include <grpcpp/support/status.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace retrykit {

struct ServerAction {
  enum class Type : unsigned char {
    kReadMessage,          // Waits for one message; ends early at a half-close.
    kReadToHalfClose,      // Reads all that comes.
    kSendInitialMetadata,  // At once, before any message.
    kSendEcho,             // An EchoResponse with `text`; empty: the request's.
    kSendBytes,            // A message whose bytes are `text`, sense or not.
    kWaitForGate,          // Until ScriptedServer::OpenGate(text).
    kDelay,                // For `delay`; a timer, no thread sleeps.
    kFinish,               // Ends the call with `status`.
  };

  static ServerAction Of(Type type, std::string text = "") {
    return {type, std::move(text), absl::ZeroDuration(), grpc::Status()};
  }
  static ServerAction Delay(absl::Duration delay) {
    return {Type::kDelay, "", delay, grpc::Status()};
  }
  static ServerAction Finish(grpc::Status status) {
    return {Type::kFinish, "", absl::ZeroDuration(), std::move(status)};
  }

  Type type;
  std::string text;
  absl::Duration delay;
  grpc::Status status;
};

class AttemptScript {
 public:
  // A script without kFinish is silent after its last action: it waits until
  // the call is cancelled.
  static AttemptScript Of(std::vector<ServerAction> actions);

  // OK with an EchoResponse whose message is `text`; "" gives the request's.
  static AttemptScript Ok(std::string text = "");
  // OK, and no message at all: what no correct server does to a unary call.
  static AttemptScript OkWithoutMessage();
  // OK with a message of these bytes, whether they parse or not.
  static AttemptScript OkWithBytes(std::string bytes);
  // Nothing but trailers. The text of the status is `text`, its details are
  // `details`.
  static AttemptScript Fail(grpc::StatusCode code,
                            std::string text = "scripted",
                            std::string details = "");
  // Reads the request and does nothing until the call is cancelled.
  static AttemptScript Silent();

  // Changes to the script; each gives a changed copy.

  // Initial metadata goes out before the request is read.
  AttemptScript WithHeadersFirst() const;
  AttemptScript WithInitialMetadata(std::string key, std::string value) const;
  AttemptScript WithTrailingMetadata(std::string key, std::string value) const;
  // `grpc-retry-pushback-ms`, as it stands in the trailers.
  AttemptScript WithPushback(std::string milliseconds) const;
  // google.rpc.RetryInfo in the status details; may be zero or negative. The
  // script must end in kFinish.
  AttemptScript WithRetryInfo(absl::Duration delay) const;
  // Between the request and the answer.
  AttemptScript AfterGate(std::string gate) const;
  AttemptScript AfterDelay(absl::Duration delay) const;

  using Pairs = std::vector<std::pair<std::string, std::string>>;

  const std::vector<ServerAction>& actions() const { return actions_; }
  const Pairs& initial_metadata() const { return initial_metadata_; }
  const Pairs& trailing_metadata() const { return trailing_metadata_; }

 private:
  // Puts `action` behind the request and what already waits there.
  AttemptScript BeforeAnswer(ServerAction action) const;

  std::vector<ServerAction> actions_;
  Pairs initial_metadata_;
  Pairs trailing_metadata_;
};

// The bytes of a google.rpc.Status that holds a google.rpc.RetryInfo.
std::string RetryInfoDetails(absl::Duration delay);

}  // namespace retrykit

#endif  // TESTS_SUPPORT_ATTEMPT_SCRIPT_H_
