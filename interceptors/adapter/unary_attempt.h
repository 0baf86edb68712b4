// One attempt of a unary call on the wire.
//
// Thread-safety: Start once; the tags are completed by a completion queue's
// thread; TryCancel from any thread after Start has returned.
// Lifetime: owned by its call, which the pending operations keep alive.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_UNARY_ATTEMPT_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_UNARY_ATTEMPT_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <memory>

#include "interceptors/adapter/method_state.h"
#include "interceptors/adapter/runtime.h"
#include "interceptors/core/instant.h"

namespace retrykit {

class UnaryAttempt;

// Told what becomes of an attempt, on the thread that completes its tags.
class UnaryAttemptSink {
 public:
  virtual ~UnaryAttemptSink() = default;
  // Headers came before the status. Mode::kHeadersAlone only.
  virtual void OnHeaders(UnaryAttempt& attempt) = 0;
  virtual void OnEnd(UnaryAttempt& attempt) = 0;
};

class UnaryAttempt {
 public:
  enum class Mode : unsigned char {
    kWhole,         // One batch: everything is there at the end.
    kHeadersAlone,  // A second batch tells of headers as soon as they are
                    // there.
  };

  explicit UnaryAttempt(int number) : number_(number) {}
  UnaryAttempt(const UnaryAttempt&) = delete;
  UnaryAttempt& operator=(const UnaryAttempt&) = delete;

  // Set everything on context() first. `sink` is kept until the end is told.
  // The completion queue's tags are CompletionTags.
  void Start(grpc::Channel& channel, grpc::CompletionQueue& queue,
             const MethodState& method, const grpc::ByteBuffer& request,
             Mode mode, std::shared_ptr<UnaryAttemptSink> sink);

  int number() const { return number_; }
  grpc::ClientContext& context() { return context_; }

  // Valid once the end was told.
  const grpc::Status& status() const { return status_; }
  grpc::ByteBuffer& response() { return response_; }
  // Mode::kHeadersAlone only: whether the headers' batch succeeded, and whether
  // there were headers at all (a server may answer with trailers alone).
  bool headers_ok() const { return headers_ok_; }
  bool got_headers() const { return got_headers_; }

 private:
  // Forwards a completion to a member function.
  class Tag final : public CompletionTag {
   public:
    Tag(UnaryAttempt& attempt, void (UnaryAttempt::*complete)(bool))
        : attempt_(attempt), complete_(complete) {}
    void Complete(bool ok) override { (attempt_.*complete_)(ok); }

   private:
    UnaryAttempt& attempt_;
    void (UnaryAttempt::*const complete_)(bool);
  };

  void HeadersDone(bool ok);
  void FinishDone(bool ok);
  void OneDone();

  const int number_;
  grpc::ClientContext context_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader_;
  Tag headers_tag_{*this, &UnaryAttempt::HeadersDone};
  Tag finish_tag_{*this, &UnaryAttempt::FinishDone};
  bool headers_ok_ = false;
  bool got_headers_ = false;
  std::atomic<int> pending_{0};
  std::shared_ptr<UnaryAttemptSink> sink_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_UNARY_ATTEMPT_H_
