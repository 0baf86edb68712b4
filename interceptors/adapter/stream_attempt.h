// One attempt of a stream on the wire, of any of the three kinds.
//
// Its status is waited for from the start, its headers too, and told after
// them; messages are read and written one at a time, as the engine says.
//
// Thread-safety: operations are started by one thread at a time; their ends
// are told on a completion queue's threads; TryCancel from any thread after
// Start.
// Lifetime: owned by its call, which the pending operations keep alive.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_STREAM_ATTEMPT_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_STREAM_ATTEMPT_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <deque>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "interceptors/adapter/method_state.h"
#include "interceptors/adapter/runtime.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/stream_step.h"

namespace retrykit {

class StreamAttempt;

// Told what becomes of an attempt's operations.
class StreamAttemptSink {
 public:
  virtual ~StreamAttemptSink() = default;
  virtual void OnStream(const StreamEvent& event) = 0;
  virtual void OnStatus(StreamAttempt& attempt) = 0;
};

class StreamAttempt {
 public:
  explicit StreamAttempt(int number) : number_(number) {}
  StreamAttempt(const StreamAttempt&) = delete;
  StreamAttempt& operator=(const StreamAttempt&) = delete;

  // Set everything on context() first. With `message_follows` the headers go
  // with the first message, else they are a send of their own.
  void Start(grpc::Channel& channel, grpc::CompletionQueue& queue,
             const MethodState& method, bool message_follows,
             std::shared_ptr<StreamAttemptSink> sink);
  void Write(const grpc::ByteBuffer& message, bool half_close);
  void WritesDone();
  void Read();

  // The oldest message that was read and not taken; an invalid buffer if there
  // is none.
  grpc::ByteBuffer TakeMessage();

  int number() const { return number_; }
  grpc::ClientContext& context() { return context_; }
  // Null until the status was told: an attempt that was cancelled may still be
  // under way.
  const grpc::Status* status() const {
    return ended_.load(std::memory_order_acquire) ? &status_ : nullptr;
  }

 private:
  // One operation that may be under way: keeps the call alive meanwhile.
  class Tag final : public CompletionTag {
   public:
    using Done = void (StreamAttempt::*)(StreamAttemptSink& sink, bool ok);

    Tag(StreamAttempt& attempt, Done done) : attempt_(attempt), done_(done) {}
    // The tag to give to gRPC.
    void* Begin() {
      sink_ = attempt_.sink_.lock();
      return this;
    }
    void Complete(bool ok) override {
      const std::shared_ptr<StreamAttemptSink> sink = std::move(sink_);
      (attempt_.*done_)(*sink, ok);
    }

   private:
    StreamAttempt& attempt_;
    const Done done_;
    std::shared_ptr<StreamAttemptSink> sink_;
  };

  void SendDone(StreamAttemptSink& sink, bool ok);
  void HeadersDone(StreamAttemptSink& sink, bool ok);
  void ReadDone(StreamAttemptSink& sink, bool ok);
  void FinishDone(StreamAttemptSink& sink, bool ok);
  void OneDone(StreamAttemptSink& sink);

  const int number_;
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>>
      stream_;
  std::weak_ptr<StreamAttemptSink> sink_;
  grpc::Status status_;
  std::atomic<int> pending_{2};  // Headers and status.
  std::atomic<bool> ended_{false};
  grpc::ByteBuffer incoming_;  // Of the read under way.
  Tag send_tag_{*this, &StreamAttempt::SendDone};
  Tag headers_tag_{*this, &StreamAttempt::HeadersDone};
  Tag read_tag_{*this, &StreamAttempt::ReadDone};
  Tag finish_tag_{*this, &StreamAttempt::FinishDone};

  Mutex mu_;
  std::deque<grpc::ByteBuffer> unread_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_STREAM_ATTEMPT_H_
