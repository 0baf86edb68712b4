// Streams that the application cancels or drops, in every phase.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "interceptors/core/clock.h"
#include "tests/end_to_end/streams/stream_fixture.h"
#include "tests/support/real_time.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::ValuesIn;

AttemptScript Aborted() {
  return Script({ReadOne(), End(StatusCode::ABORTED)});
}

class StreamCancelTest : public StreamEndToEndTest {
 protected:
  // A stream that has sent all it has to.
  std::unique_ptr<EchoStream> Started(const std::string& id = kCall) {
    auto stream = NewStream(id);
    stream->Start();
    if (kind() != StreamKind::kServer) {
      EXPECT_TRUE(stream->Write("hello"));
    }
    return stream;
  }
  static TestPolicy LongBackoff() {
    TestPolicy policy;
    policy.SetBackoff("20s");
    return policy;
  }
};

// A call that ends within two seconds of the cancel.
void ExpectCancelled(EchoStream& stream) {
  const Instant before = MonotonicClock().Now();
  stream.Cancel();
  EXPECT_EQ(stream.Finish().status.error_code(), StatusCode::CANCELLED);
  EXPECT_LT(MonotonicClock().Now() - before, kTooLate);
}

TEST_P(StreamCancelTest, A07_CancelDuringBackoff) {
  Use(LongBackoff());
  server().Script(kCall, {Aborted()});
  const auto stream = Started();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  ExpectCancelled(*stream);
  EXPECT_EQ(ReasonText(observer().Ended().reason),
            ReasonText(Reason::kCancelled));
  ExpectAttempts(kCall, 1);
}

TEST_P(StreamCancelTest, A08_CancelDuringTheSecondAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Silent()});
  const auto stream = Started();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
  ExpectCancelled(*stream);
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
  ExpectAttempts(kCall, 2);
}

TEST_P(StreamCancelTest, A09_CancelBeforeTheStart) {
  Use(TestPolicy());
  const auto stream = NewStream();
  stream->Cancel();
  stream->Start();
  stream->Write("hello");
  EXPECT_EQ(stream->Finish().status.error_code(), StatusCode::CANCELLED);
  ExpectAttempts(kCall, 0);
}

TEST_P(SendingStreamTest, B11_CancelWhileReplaying) {
  Use(TestPolicy());
  server().Script(
      kCall,
      {Script({ReadOne(), ReadOne(), ReadOne(), End(StatusCode::ABORTED)}),
       Script({Gate("never")})});
  const auto stream = NewStream();
  stream->Start();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream->WriteBytes(256 << 10));
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
  ExpectCancelled(*stream);
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 2));
  ExpectAttempts(kCall, 2);
}

TEST_P(StreamCancelTest, B11_CancelWhileReading) {
  if (kind() == StreamKind::kClient) return;
  Use(TestPolicy());
  server().Script(kCall, {Script({ReadOne(), Send("a")})});
  const auto stream = Started();
  testing::EchoResponse response;
  ASSERT_TRUE(stream->Read(&response));
  std::thread reader([&] { EXPECT_FALSE(stream->Read(&response)); });
  LetPass(absl::Milliseconds(20));
  stream->Cancel();
  reader.join();
  EXPECT_EQ(stream->Finish().status.error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  ExpectAttempts(kCall, 1);
}

// It ended OK, with the messages that the application had not read missing.
TEST_P(StreamCancelTest, ACancelThatTakesMessagesDoesNotEndWithOk) {
  if (kind() == StreamKind::kClient) return;
  Use(TestPolicy());
  server().Script(
      kCall, {Script({ReadOne(), Send("a"), Send("b"), Send("c"), End()})});
  const auto stream = Started();
  testing::EchoResponse response;
  ASSERT_TRUE(stream->Read(&response));
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kCallEnded));
  stream->Cancel();
  const size_t got = 1 + stream->ReadAll().size();
  const StatusCode code = stream->Finish().status.error_code();
  if (got < 3) {
    EXPECT_EQ(code, StatusCode::CANCELLED);
  }
  ExpectAttempts(kCall, 1);
}

TEST_P(SendingStreamTest, B11_CancelWhileAWriteIsHeld) {
  Use(TestPolicy());
  server().Script(kCall, {Script({ReadOne(), Gate("never")})});
  const auto stream = NewStream();
  stream->Start();
  std::thread writer([&] {
    while (stream->WriteBytes(256 << 10)) {
    }
  });
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  LetPass(absl::Milliseconds(100));
  stream->Cancel();
  writer.join();
  EXPECT_EQ(stream->Finish().status.error_code(), StatusCode::CANCELLED);
  ExpectAttempts(kCall, 1);
}

// Corked headers never went out: there is no call of ours to cancel.
TEST_P(SendingStreamTest, B11_CancelBeforeTheFirstMessage) {
  Use(TestPolicy());
  const auto stream = NewStream();
  stream->Cork();
  stream->Start();
  ExpectCancelled(*stream);
  ExpectAttempts(kCall, 0);
}

TEST_P(StreamCancelTest, B12_DroppedWithoutFinish) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Silent()});
  auto stream = Started();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  stream.reset();
  EXPECT_EQ(ReasonText(observer().Ended().reason),
            ReasonText(Reason::kCancelled));
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  ExpectAttempts(kCall, 1);
}

TEST_P(StreamCancelTest, B12_DroppedDuringBackoff) {
  Use(LongBackoff());
  server().Script(kCall, {Aborted()});
  auto stream = Started();
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  stream.reset();
  EXPECT_EQ(ReasonText(observer().Ended().reason),
            ReasonText(Reason::kCancelled));
  ExpectAttempts(kCall, 1);
}

// Messages were read ahead, and nobody takes them.
TEST_P(StreamCancelTest, B12_DroppedWithMessagesUnread) {
  if (kind() == StreamKind::kClient) return;
  Use(TestPolicy());
  std::vector<ServerAction> actions{ReadOne()};
  for (int i = 0; i < 100; ++i) actions.push_back(Send("more"));
  server().Script(kCall, {Script(actions)});
  auto stream = Started();
  testing::EchoResponse response;
  EXPECT_TRUE(stream->Read(&response));
  stream.reset();
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  ExpectAttempts(kCall, 1);
}

// A read is under way when the application cancels, takes its end and drops
// the stream without Finish.
TEST_P(StreamCancelTest, B12_DroppedWithAReadPending) {
  if (kind() == StreamKind::kClient) return;
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Silent()});
  auto stream = Started();
  testing::EchoResponse response;
  std::thread reader([&] { EXPECT_FALSE(stream->Read(&response)); });
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  stream->Cancel();
  reader.join();
  stream.reset();
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  ExpectAttempts(kCall, 1);
}

INSTANTIATE_TEST_SUITE_P(, SendingStreamTest, ValuesIn(SendingStyles()),
                         StreamStyleTestName);
INSTANTIATE_TEST_SUITE_P(, StreamCancelTest, ValuesIn(AllStreamStyles()),
                         StreamStyleTestName);

}  // namespace
}  // namespace retrykit
