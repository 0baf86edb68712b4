#include "interceptors/adapter/unary_attempt.h"

#include <utility>

#include "interceptors/adapter/attempt_context.h"

namespace retrykit {
void UnaryAttempt::Start(grpc::Channel& channel, grpc::CompletionQueue& queue,
                         const MethodState& method,
                         const grpc::ByteBuffer& request, Mode mode,
                         std::shared_ptr<UnaryAttemptSink> sink) {
  sink_ = std::move(sink);
  pending_.store(mode == Mode::kHeadersAlone ? 2 : 1,
                 std::memory_order_relaxed);
  {
    AttemptMark mark(&context_);
    reader_.reset(grpc::internal::ClientAsyncResponseReaderHelper::Create<
                  grpc::ByteBuffer>(&channel, &queue, method.rpc, &context_,
                                    request));
  }
  reader_->StartCall();
  if (mode == Mode::kHeadersAlone) reader_->ReadInitialMetadata(&headers_tag_);
  reader_->Finish(&response_, &status_, &finish_tag_);
}

void UnaryAttempt::HeadersDone(bool ok) {
  headers_ok_ = ok;
  got_headers_ = ok && !TrailersOnly(context_);
  if (got_headers_) sink_->OnHeaders(*this);
  OneDone();
}

void UnaryAttempt::FinishDone(bool /*ok: the status says it all*/) {
  OneDone();
}

// The end is told when both batches are done, in whatever order they came.
void UnaryAttempt::OneDone() {
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::shared_ptr<UnaryAttemptSink> sink = std::move(sink_);
  sink->OnEnd(*this);
}

}  // namespace retrykit
