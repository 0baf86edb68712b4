#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>

#include <thread>
#include <utility>

#include "tests/support/echo_stream_drivers.h"

namespace retrykit {
namespace {

using testing::EchoRequest;
using testing::EchoResponse;

// A queue, and a thread that polls it until it has been shut down and drained.
// Every tag is a StepEnd.
class Queue {
 public:
  Queue() : thread_([this] { Poll(); }) {}
  ~Queue() {
    queue_.Shutdown();
    thread_.join();
  }

  grpc::CompletionQueue* get() { return &queue_; }

 private:
  void Poll() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) static_cast<StepEnd*>(tag)->Set(ok);
  }

  grpc::CompletionQueue queue_;
  std::thread thread_;
};

// What a kind does not have is refused.
template <typename Stream>
class CqStream : public EchoStream {
 public:
  using EchoStream::EchoStream;
  // The context goes before the queue, which is drained last.
  ~CqStream() override {
    stream_.reset();
    context_.reset();
  }

  bool WritesDone() override { return false; }
  bool Read(EchoResponse*) override { return false; }
  bool ReadHeaders() override {
    return Await([this](void* tag) { stream_->ReadInitialMetadata(tag); });
  }

 protected:
  bool Send(const EchoRequest&, bool) override { return false; }

  grpc::Status AwaitStatus() override {
    grpc::Status status;
    Await([&](void* tag) { stream_->Finish(&status, tag); });
    return status;
  }

  // Nothing is sent yet, and no tag comes back, when the headers are corked.
  template <typename Step>
  void Open(const Step& start) {
    if (corked_) return start(nullptr);
    Await(start);
  }

  // Starts a step, and waits for its end.
  template <typename Step>
  bool Await(const Step& start) {
    StepEnd end;
    start(&end);
    return end.Wait();
  }

  void SendOn(Stream& stream, const EchoRequest& request, bool last,
              void* tag) {
    grpc::WriteOptions options;
    if (last) options.set_last_message();
    stream.Write(request, options, tag);
  }

  Queue queue_;
  std::unique_ptr<Stream> stream_;
};

class CqServerStream final
    : public CqStream<grpc::ClientAsyncReader<EchoResponse>> {
 public:
  using CqStream::CqStream;

  void Start(const std::string& request) override {
    Await([&](void* tag) {
      stream_ = stub_->AsyncServerStream(context_.get(), Request(request),
                                         queue_.get(), tag);
    });
  }
  bool Read(EchoResponse* response) override {
    return Await([&](void* tag) { stream_->Read(response, tag); });
  }
};

class CqClientStream final
    : public CqStream<grpc::ClientAsyncWriter<EchoRequest>> {
 public:
  using CqStream::CqStream;

  void Start(const std::string&) override {
    Open([&](void* tag) {
      stream_ = stub_->AsyncClientStream(context_.get(), &response_,
                                         queue_.get(), tag);
    });
  }
  bool WritesDone() override {
    return Await([&](void* tag) { stream_->WritesDone(tag); });
  }

 private:
  bool Send(const EchoRequest& request, bool last) override {
    return Await([&](void* tag) { SendOn(*stream_, request, last, tag); });
  }
};

class CqBidiStream final
    : public CqStream<
          grpc::ClientAsyncReaderWriter<EchoRequest, EchoResponse>> {
 public:
  using CqStream::CqStream;

  void Start(const std::string&) override {
    Open([&](void* tag) {
      stream_ = stub_->AsyncBidi(context_.get(), queue_.get(), tag);
    });
  }
  bool WritesDone() override {
    return Await([&](void* tag) { stream_->WritesDone(tag); });
  }
  bool Read(EchoResponse* response) override {
    return Await([&](void* tag) { stream_->Read(response, tag); });
  }

 private:
  bool Send(const EchoRequest& request, bool last) override {
    return Await([&](void* tag) { SendOn(*stream_, request, last, tag); });
  }
};

}  // namespace

std::unique_ptr<EchoStream> NewCqStream(
    StreamKind kind, std::shared_ptr<grpc::ChannelInterface> channel,
    const std::string& id) {
  switch (kind) {
    case StreamKind::kServer:
      return std::make_unique<CqServerStream>(std::move(channel), id);
    case StreamKind::kClient:
      return std::make_unique<CqClientStream>(std::move(channel), id);
    case StreamKind::kBidi:
      return std::make_unique<CqBidiStream>(std::move(channel), id);
  }
  return nullptr;
}

}  // namespace retrykit
