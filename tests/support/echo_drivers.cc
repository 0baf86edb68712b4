#include "tests/support/echo_drivers.h"

#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/client_callback.h>

#include <thread>

namespace retrykit {

namespace {

using testing::Echo;
using testing::EchoResponse;

class SyncDriver : public EchoDriver {
 public:
  ~SyncDriver() override {
    if (thread_.joinable()) thread_.join();
  }

  void Start(Echo::Stub& stub, EchoCallState& state) override {
    thread_ = std::thread([&stub, &state] {
      state.Completed(
          stub.Unary(&state.context(), state.request(), &state.response()));
    });
  }

 private:
  std::thread thread_;
};

// A queue, and a thread that polls it until it has been shut down and drained.
class CqDriver : public EchoDriver {
 public:
  explicit CqDriver(bool reads_metadata) : reads_metadata_(reads_metadata) {}

  ~CqDriver() override {
    queue_.Shutdown();
    if (thread_.joinable()) thread_.join();
  }

  void Start(Echo::Stub& stub, EchoCallState& state) override {
    state_ = &state;
    reader_ = stub.AsyncUnary(&state_->context(), state_->request(), &queue_);
    if (reads_metadata_) {
      reader_->ReadInitialMetadata(&headers_tag_);
    } else {
      Finish();
    }
    thread_ = std::thread([this] { Poll(); });
  }

 private:
  void Finish() {
    reader_->Finish(&state_->response(), &status_, &finish_tag_);
  }

  void Poll() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
      if (tag == &headers_tag_) {
        state_->HeadersArrived(ok);
        Finish();
      } else {
        state_->Completed(status_, ok);
      }
    }
  }

  const bool reads_metadata_;
  grpc::CompletionQueue queue_;
  EchoCallState* state_ = nullptr;
  std::unique_ptr<grpc::ClientAsyncResponseReader<EchoResponse>> reader_;
  grpc::Status status_;
  char headers_tag_ = 0;
  char finish_tag_ = 0;
  std::thread thread_;
};

class CallbackDriver : public EchoDriver {
 public:
  void Start(Echo::Stub& stub, EchoCallState& state) override {
    stub.async()->Unary(
        &state.context(), &state.request(), &state.response(),
        [&state](const grpc::Status& status) { state.Completed(status); });
  }
};

class Reactor : public grpc::ClientUnaryReactor {
 public:
  explicit Reactor(EchoCallState& state) : state_(state) {}

  void OnReadInitialMetadataDone(bool ok) override {
    state_.HeadersArrived(ok);
  }

  void OnDone(const grpc::Status& status) override {
    state_.Completed(status);
    delete this;
  }

 private:
  EchoCallState& state_;
};

class ReactorDriver : public EchoDriver {
 public:
  void Start(Echo::Stub& stub, EchoCallState& state) override {
    auto* const reactor = new Reactor(state);
    stub.async()->Unary(&state.context(), &state.request(), &state.response(),
                        reactor);
    reactor->StartCall();
  }
};

}  // namespace

std::unique_ptr<EchoDriver> NewEchoDriver(CallStyle style) {
  switch (style) {
    case CallStyle::kSync:
      return std::make_unique<SyncDriver>();
    case CallStyle::kCq:
      return std::make_unique<CqDriver>(/*reads_metadata=*/false);
    case CallStyle::kCqReadMetadata:
      return std::make_unique<CqDriver>(/*reads_metadata=*/true);
    case CallStyle::kCallback:
      return std::make_unique<CallbackDriver>();
    case CallStyle::kReactor:
      return std::make_unique<ReactorDriver>();
  }
  return nullptr;
}

}  // namespace retrykit
