#include <grpcpp/support/sync_stream.h>

#include <utility>

#include "tests/support/echo_stream_drivers.h"

namespace retrykit {
namespace {

using testing::EchoRequest;
using testing::EchoResponse;

// What a kind does not have is refused.
class SyncStream : public EchoStream {
 public:
  using EchoStream::EchoStream;

  bool WritesDone() override { return false; }
  bool Read(EchoResponse*) override { return false; }

 protected:
  bool Send(const EchoRequest&, bool) override { return false; }

  static grpc::WriteOptions OptionsFor(bool last) {
    grpc::WriteOptions options;
    if (last) options.set_last_message();
    return options;
  }
};

class SyncServerStream final : public SyncStream {
 public:
  using SyncStream::SyncStream;

  void Start(const std::string& request) override {
    stream_ = stub_->ServerStream(context_.get(), Request(request));
  }
  bool ReadHeaders() override {
    stream_->WaitForInitialMetadata();
    return true;
  }
  bool Read(EchoResponse* response) override { return stream_->Read(response); }

 private:
  grpc::Status AwaitStatus() override { return stream_->Finish(); }

  std::unique_ptr<grpc::ClientReader<EchoResponse>> stream_;
};

class SyncClientStream final : public SyncStream {
 public:
  using SyncStream::SyncStream;

  void Start(const std::string&) override {
    stream_ = stub_->ClientStream(context_.get(), &response_);
  }
  bool ReadHeaders() override {
    stream_->WaitForInitialMetadata();
    return true;
  }
  bool WritesDone() override { return stream_->WritesDone(); }

 private:
  bool Send(const EchoRequest& request, bool last) override {
    return stream_->Write(request, OptionsFor(last));
  }
  grpc::Status AwaitStatus() override { return stream_->Finish(); }

  std::unique_ptr<grpc::ClientWriter<EchoRequest>> stream_;
};

class SyncBidiStream final : public SyncStream {
 public:
  using SyncStream::SyncStream;

  void Start(const std::string&) override {
    stream_ = stub_->Bidi(context_.get());
  }
  bool ReadHeaders() override {
    stream_->WaitForInitialMetadata();
    return true;
  }
  bool WritesDone() override { return stream_->WritesDone(); }
  bool Read(EchoResponse* response) override { return stream_->Read(response); }

 private:
  bool Send(const EchoRequest& request, bool last) override {
    return stream_->Write(request, OptionsFor(last));
  }
  grpc::Status AwaitStatus() override { return stream_->Finish(); }

  std::unique_ptr<grpc::ClientReaderWriter<EchoRequest, EchoResponse>> stream_;
};

}  // namespace

std::unique_ptr<EchoStream> NewSyncStream(
    StreamKind kind, std::shared_ptr<grpc::ChannelInterface> channel,
    const std::string& id) {
  switch (kind) {
    case StreamKind::kServer:
      return std::make_unique<SyncServerStream>(std::move(channel), id);
    case StreamKind::kClient:
      return std::make_unique<SyncClientStream>(std::move(channel), id);
    case StreamKind::kBidi:
      return std::make_unique<SyncBidiStream>(std::move(channel), id);
  }
  return nullptr;
}

}  // namespace retrykit
