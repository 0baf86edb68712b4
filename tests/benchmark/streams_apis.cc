#include "tests/benchmark/streams_apis.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/client_callback.h>

#include <atomic>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"

namespace retrykit {
namespace {

using testing::EchoRequest;
using testing::EchoResponse;
using Stub = testing::Echo::Stub;

// One operation at a time.
class Queue {
 public:
  ~Queue() {
    queue_.Shutdown();
    Wait();
  }
  grpc::CompletionQueue* get() { return &queue_; }
  void* tag() { return this; }
  // Whether the operation under way has succeeded.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

 private:
  grpc::CompletionQueue queue_;
};

// What a reactor tells the thread that waits for its end.
class End {
 public:
  void Come() {
    MutexLock lock(mu_);
    come_ = true;
    changed_.NotifyAll();
  }
  void Wait() {
    MutexLock lock(mu_);
    while (!come_) changed_.Wait(mu_);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool come_ ABSL_GUARDED_BY(mu_) = false;
};

class Reading final : public grpc::ClientReadReactor<EchoResponse> {
 public:
  Reading(Stub& stub, const EchoRequest& request, StreamMeter& meter)
      : meter_(meter) {
    stub.async()->ServerStream(&context_, &request, this);
    StartRead(&response_);
    StartCall();
    end_.Wait();
  }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (!begun_) {
      begun_ = true;
      meter_.Begin();
    } else if (!meter_.Count()) {
      return context_.TryCancel();
    }
    StartRead(&response_);
  }
  void OnDone(const grpc::Status&) override { end_.Come(); }

  StreamMeter& meter_;
  grpc::ClientContext context_;
  EchoResponse response_;
  bool begun_ = false;
  End end_;
};

class Writing final : public grpc::ClientWriteReactor<EchoRequest> {
 public:
  Writing(Stub& stub, const EchoRequest& request, StreamMeter& meter)
      : request_(request), meter_(meter) {
    stub.async()->ClientStream(&context_, &response_, this);
    StartWrite(&request_);
    StartCall();
    end_.Wait();
  }

 private:
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    if (!begun_) {
      begun_ = true;
      meter_.Begin();
    } else if (!meter_.Count()) {
      return StartWritesDone();
    }
    StartWrite(&request_);
  }
  void OnDone(const grpc::Status&) override { end_.Come(); }

  const EchoRequest& request_;
  StreamMeter& meter_;
  grpc::ClientContext context_;
  EchoResponse response_;
  bool begun_ = false;
  End end_;
};

class PingPong final
    : public grpc::ClientBidiReactor<EchoRequest, EchoResponse> {
 public:
  PingPong(Stub& stub, const EchoRequest& request, StreamMeter& meter)
      : request_(request), meter_(meter) {
    stub.async()->Bidi(&context_, this);
    StartRead(&response_);
    StartWrite(&request_);
    StartCall();
    end_.Wait();
  }

 private:
  void OnWriteDone(bool ok) override {
    if (ok) HalfDone();
  }
  void OnReadDone(bool ok) override {
    if (ok) HalfDone();
  }
  // The answer may be there before the write is told of.
  void HalfDone() {
    if (halves_.fetch_add(1) % 2 == 0) return;
    if (!begun_) {
      begun_ = true;
      meter_.Begin();
    } else if (!meter_.Count()) {
      return StartWritesDone();
    }
    StartRead(&response_);
    StartWrite(&request_);
  }
  void OnDone(const grpc::Status&) override { end_.Come(); }

  const EchoRequest& request_;
  StreamMeter& meter_;
  grpc::ClientContext context_;
  EchoResponse response_;
  std::atomic<int> halves_{0};
  bool begun_ = false;
  End end_;
};

}  // namespace

void ReadBlocking(Stub& stub, const EchoRequest& request, StreamMeter& meter) {
  grpc::ClientContext context;
  EchoResponse response;
  const auto reader = stub.ServerStream(&context, request);
  if (reader->Read(&response)) {
    meter.Begin();
    while (reader->Read(&response) && meter.Count()) {
    }
  }
  context.TryCancel();
  reader->Finish();
}

void WriteBlocking(Stub& stub, const EchoRequest& request, StreamMeter& meter) {
  grpc::ClientContext context;
  EchoResponse response;
  const auto writer = stub.ClientStream(&context, &response);
  if (writer->Write(request)) {
    meter.Begin();
    while (writer->Write(request) && meter.Count()) {
    }
  }
  writer->WritesDone();
  writer->Finish();
}

void PingPongBlocking(Stub& stub, const EchoRequest& request,
                      StreamMeter& meter) {
  grpc::ClientContext context;
  EchoResponse response;
  const auto stream = stub.Bidi(&context);
  if (stream->Write(request) && stream->Read(&response)) {
    meter.Begin();
    while (stream->Write(request) && stream->Read(&response) && meter.Count()) {
    }
  }
  stream->WritesDone();
  stream->Finish();
}

void ReadThroughQueue(Stub& stub, const EchoRequest& request,
                      StreamMeter& meter) {
  grpc::ClientContext context;
  EchoResponse response;
  grpc::Status status;
  Queue queue;
  const auto reader =
      stub.AsyncServerStream(&context, request, queue.get(), queue.tag());
  queue.Wait();
  const auto read = [&] {
    reader->Read(&response, queue.tag());
    return queue.Wait();
  };
  if (read()) {
    meter.Begin();
    while (read() && meter.Count()) {
    }
  }
  context.TryCancel();
  reader->Finish(&status, queue.tag());
  queue.Wait();
}

void WriteThroughQueue(Stub& stub, const EchoRequest& request,
                       StreamMeter& meter) {
  grpc::ClientContext context;
  EchoResponse response;
  grpc::Status status;
  Queue queue;
  const auto writer =
      stub.AsyncClientStream(&context, &response, queue.get(), queue.tag());
  queue.Wait();
  const auto write = [&] {
    writer->Write(request, queue.tag());
    return queue.Wait();
  };
  if (write()) {
    meter.Begin();
    while (write() && meter.Count()) {
    }
  }
  writer->WritesDone(queue.tag());
  queue.Wait();
  writer->Finish(&status, queue.tag());
  queue.Wait();
}

void PingPongThroughQueue(Stub& stub, const EchoRequest& request,
                          StreamMeter& meter) {
  grpc::ClientContext context;
  EchoResponse response;
  grpc::Status status;
  Queue queue;
  const auto stream = stub.AsyncBidi(&context, queue.get(), queue.tag());
  queue.Wait();
  const auto round_trip = [&] {
    stream->Write(request, queue.tag());
    if (!queue.Wait()) return false;
    stream->Read(&response, queue.tag());
    return queue.Wait();
  };
  if (round_trip()) {
    meter.Begin();
    while (round_trip() && meter.Count()) {
    }
  }
  stream->WritesDone(queue.tag());
  queue.Wait();
  stream->Finish(&status, queue.tag());
  queue.Wait();
}

void ReadThroughReactor(Stub& stub, const EchoRequest& request,
                        StreamMeter& meter) {
  Reading(stub, request, meter);
}

void WriteThroughReactor(Stub& stub, const EchoRequest& request,
                         StreamMeter& meter) {
  Writing(stub, request, meter);
}

void PingPongThroughReactor(Stub& stub, const EchoRequest& request,
                            StreamMeter& meter) {
  PingPong(stub, request, meter);
}

}  // namespace retrykit
