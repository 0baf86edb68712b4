#include "interceptors/adapter/stream_attempt.h"

#include "interceptors/adapter/attempt_context.h"

namespace retrykit {

using Factory =
    grpc::internal::ClientAsyncReaderWriterFactory<grpc::ByteBuffer,
                                                   grpc::ByteBuffer>;

void StreamAttempt::Start(grpc::Channel& channel, grpc::CompletionQueue& queue,
                          const MethodState& method, bool message_follows,
                          std::shared_ptr<StreamAttemptSink> sink) {
  sink_ = sink;
  context_.set_initial_metadata_corked(message_follows);
  {
    AttemptMark mark(&context_);
    stream_.reset(Factory::Create(&channel, &queue, method.rpc, &context_,
                                  /*start=*/false, /*tag=*/nullptr));
  }
  stream_->StartCall(message_follows ? nullptr : send_tag_.Begin());
  stream_->ReadInitialMetadata(headers_tag_.Begin());
  stream_->Finish(&status_, finish_tag_.Begin());
}

void StreamAttempt::Write(const grpc::ByteBuffer& message, bool half_close) {
  grpc::WriteOptions options;
  if (half_close) options.set_last_message();
  stream_->Write(message, options, send_tag_.Begin());
}

void StreamAttempt::WritesDone() { stream_->WritesDone(send_tag_.Begin()); }

void StreamAttempt::Read() { stream_->Read(&incoming_, read_tag_.Begin()); }

grpc::ByteBuffer StreamAttempt::TakeMessage() {
  MutexLock lock(mu_);
  if (unread_.empty()) return grpc::ByteBuffer();
  grpc::ByteBuffer message = std::move(unread_.front());
  unread_.pop_front();
  return message;
}

void StreamAttempt::SendDone(StreamAttemptSink& sink, bool ok) {
  sink.OnStream(AttemptWrote{number_, ok});
}

void StreamAttempt::HeadersDone(StreamAttemptSink& sink, bool ok) {
  if (ok && !TrailersOnly(context_)) sink.OnStream(HeadersArrived{number_});
  OneDone(sink);
}

void StreamAttempt::ReadDone(StreamAttemptSink& sink, bool ok) {
  if (!ok) return sink.OnStream(ReadsEnded{number_});
  const auto bytes = static_cast<int64_t>(incoming_.Length());
  {
    MutexLock lock(mu_);
    unread_.push_back(std::move(incoming_));
  }
  incoming_ = grpc::ByteBuffer();
  sink.OnStream(AttemptRead{number_, bytes});
}

void StreamAttempt::FinishDone(StreamAttemptSink& sink, bool /*ok*/) {
  OneDone(sink);
}

// The two come in whatever order the queue's threads take them.
void StreamAttempt::OneDone(StreamAttemptSink& sink) {
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  ended_.store(true, std::memory_order_release);
  sink.OnStatus(*this);
}

}  // namespace retrykit
