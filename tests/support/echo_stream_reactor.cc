#include <grpcpp/support/client_callback.h>

#include <utility>

#include "tests/support/echo_stream_drivers.h"

namespace retrykit {
namespace {

using testing::EchoRequest;
using testing::EchoResponse;

// What every kind of reactor tells.
struct Ends {
  StepEnd headers;
  StepEnd write;
  StepEnd close;
  StepEnd read;
  StepEnd done;
  grpc::Status status;
};

template <typename Base>
class Reactor : public Base {
 public:
  explicit Reactor(Ends& ends) : ends_(ends) {}

  void OnReadInitialMetadataDone(bool ok) override { ends_.headers.Set(ok); }
  void OnDone(const grpc::Status& status) override {
    ends_.status = status;
    ends_.done.Set(status.ok());
  }

 protected:
  Ends& ends_;
};

class ReadReactor final
    : public Reactor<grpc::ClientReadReactor<EchoResponse>> {
 public:
  using Reactor::Reactor;
  void OnReadDone(bool ok) override { ends_.read.Set(ok); }
};

class WriteReactor final
    : public Reactor<grpc::ClientWriteReactor<EchoRequest>> {
 public:
  using Reactor::Reactor;
  void OnWriteDone(bool ok) override { ends_.write.Set(ok); }
  void OnWritesDoneDone(bool ok) override { ends_.close.Set(ok); }
};

class BidiReactor final
    : public Reactor<grpc::ClientBidiReactor<EchoRequest, EchoResponse>> {
 public:
  using Reactor::Reactor;
  void OnReadDone(bool ok) override { ends_.read.Set(ok); }
  void OnWriteDone(bool ok) override { ends_.write.Set(ok); }
  void OnWritesDoneDone(bool ok) override { ends_.close.Set(ok); }
};

// A hold keeps the call open between steps, which come from outside. What a
// kind does not have is refused.
template <typename R>
class ReactorStream : public EchoStream {
 public:
  using EchoStream::EchoStream;
  ~ReactorStream() override {
    if (!open_) return;
    Cancel();
    AwaitStatus();
  }

  bool WritesDone() override { return false; }
  bool Read(EchoResponse*) override { return false; }
  bool ReadHeaders() override { return ends_.headers.Wait(); }

 protected:
  bool Send(const EchoRequest&, bool) override { return false; }

  void Open() {
    open_ = true;
    reactor_.AddHold();
    reactor_.StartCall();
  }

  grpc::Status AwaitStatus() override {
    reactor_.RemoveHold();
    ends_.done.Wait();
    open_ = false;
    return ends_.status;
  }

  template <typename Step>
  static bool Await(StepEnd& end, const Step& start) {
    end.Reset();
    start();
    return end.Wait();
  }

  static grpc::WriteOptions OptionsFor(bool last) {
    grpc::WriteOptions options;
    if (last) options.set_last_message();
    return options;
  }

  Ends ends_;
  R reactor_{ends_};
  EchoRequest request_;  // Of the step under way.
  bool open_ = false;
};

class ReactorServerStream final : public ReactorStream<ReadReactor> {
 public:
  using ReactorStream::ReactorStream;

  void Start(const std::string& request) override {
    request_ = Request(request);
    stub_->async()->ServerStream(context_.get(), &request_, &reactor_);
    Open();
  }
  bool Read(EchoResponse* response) override {
    return Await(ends_.read, [&] { reactor_.StartRead(response); });
  }
};

class ReactorClientStream final : public ReactorStream<WriteReactor> {
 public:
  using ReactorStream::ReactorStream;

  void Start(const std::string&) override {
    stub_->async()->ClientStream(context_.get(), &response_, &reactor_);
    Open();
  }
  bool WritesDone() override {
    return Await(ends_.close, [&] { reactor_.StartWritesDone(); });
  }

 private:
  bool Send(const EchoRequest& request, bool last) override {
    request_ = request;
    return Await(ends_.write,
                 [&] { reactor_.StartWrite(&request_, OptionsFor(last)); });
  }
};

class ReactorBidiStream final : public ReactorStream<BidiReactor> {
 public:
  using ReactorStream::ReactorStream;

  void Start(const std::string&) override {
    stub_->async()->Bidi(context_.get(), &reactor_);
    Open();
  }
  bool WritesDone() override {
    return Await(ends_.close, [&] { reactor_.StartWritesDone(); });
  }
  bool Read(EchoResponse* response) override {
    return Await(ends_.read, [&] { reactor_.StartRead(response); });
  }

 private:
  bool Send(const EchoRequest& request, bool last) override {
    request_ = request;
    return Await(ends_.write,
                 [&] { reactor_.StartWrite(&request_, OptionsFor(last)); });
  }
};

}  // namespace

std::unique_ptr<EchoStream> NewReactorStream(
    StreamKind kind, std::shared_ptr<grpc::ChannelInterface> channel,
    const std::string& id) {
  switch (kind) {
    case StreamKind::kServer:
      return std::make_unique<ReactorServerStream>(std::move(channel), id);
    case StreamKind::kClient:
      return std::make_unique<ReactorClientStream>(std::move(channel), id);
    case StreamKind::kBidi:
      return std::make_unique<ReactorBidiStream>(std::move(channel), id);
  }
  return nullptr;
}

}  // namespace retrykit
