// Streams on a queue that the test itself polls: drained during backoff, and
// through a generic stub.
#include <gmock/gmock.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"
#include "tests/end_to_end/streams/stream_fixture.h"
#include "tests/support/byte_buffers.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;

class StreamQueueTest : public EndToEndTest {
 protected:
  // Whether the next operation on the queue has succeeded.
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::ClientContext context_;
  grpc::Status status_;
  grpc::CompletionQueue queue_;
};

// Nothing of the application's but the queue's end waits for the call.
TEST_F(StreamQueueTest, A33_DrainedDuringBackoffEndsWithTheCall) {
  TestPolicy policy;
  policy.SetBackoff("0.3s");
  Use(policy);
  server().Script(kCall, {Script({ReadOne(), End(StatusCode::ABORTED)}),
                          Script({ReadOne()})});
  context_.set_deadline(DeadlineIn(absl::Seconds(1)));
  const auto stub = testing::Echo::NewStub(channel());
  const auto reader =
      stub->AsyncServerStream(&context_, RequestFor(kCall), &queue_, this);
  ASSERT_TRUE(Next());
  testing::EchoResponse response;
  reader->Read(&response, this);
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  const Instant start = MonotonicClock().Now();
  reader->Finish(&status_, this);
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
  EXPECT_LT(MonotonicClock().Now() - start, absl::Seconds(1) + kTooLate);
  EXPECT_EQ(status_.error_code(), StatusCode::DEADLINE_EXCEEDED);
  ExpectAttempts(kCall, 2);
}

// A proxy's way: bytes in, bytes out, by name.
class GenericStreamTest : public StreamQueueTest {
 protected:
  // The texts that come back for one request; the status is in status_.
  std::string CallGeneric(const std::string& method) {
    grpc::GenericStub stub(channel());
    const auto stream = stub.PrepareCall(&context_, method, &queue_);
    stream->StartCall(this);
    EXPECT_TRUE(Next());
    stream->WriteLast(BufferOf(RequestFor(kCall).SerializeAsString()),
                      grpc::WriteOptions(), this);
    EXPECT_TRUE(Next());
    std::string texts;
    grpc::ByteBuffer message;
    for (stream->Read(&message, this); Next(); stream->Read(&message, this)) {
      testing::EchoResponse response;
      EXPECT_TRUE(response.ParseFromString(BytesOf(message)));
      texts += response.message();
    }
    stream->Finish(&status_, this);
    EXPECT_TRUE(Next());
    return texts;
  }
  void ScriptOneRetry() {
    server().Script(kCall,
                    {Script({ReadToEnd(), End(StatusCode::ABORTED)}),
                     Script({ReadToEnd(), Send("a"), Send("b"), End()})});
  }
};

TEST_F(GenericStreamTest, A40_AMethodWithoutAPolicyPassesThrough) {
  TestPolicy policy;
  policy.name = R"([{"service":"other.Service"}])";
  Use(policy);
  ScriptOneRetry();
  EXPECT_EQ(CallGeneric("/retrykit.testing.Echo/Bidi"), "");
  EXPECT_EQ(status_.error_code(), StatusCode::ABORTED);
  EXPECT_EQ(status_.error_message(), "no");
  EXPECT_THAT(Headers(), ElementsAre("-"));
  ExpectAttempts(kCall, 1);
}

TEST_F(GenericStreamTest, A40_OneWithAPolicyIsRetriedByTheCodecOfBytes) {
  Options options;
  options.codec = ByteBufferCodec();
  Use(TestPolicy(), options);
  ScriptOneRetry();
  EXPECT_EQ(CallGeneric("/retrykit.testing.Echo/Bidi"), "ab");
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_THAT(Headers(), ElementsAre("-", "1"));
  ExpectAttempts(kCall, 2);
}

}  // namespace
}  // namespace retrykit
