// Which streams are retried, until when, and in which order their messages
// come.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "tests/end_to_end/streams/stream_fixture.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::ValuesIn;

TEST_P(ServerStreamTest, B01_AbortedBeforeAnyMessage) {
  Use(TestPolicy());
  server().Script(
      kCall, {Script({ReadOne(), End(StatusCode::ABORTED)}),
              Script({ReadOne(), Send("a"), Send("b"), Send("c"), End()})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_THAT(stream->ReadAll(), ElementsAre("a", "b", "c"));
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_EQ(Requests(1), Requests(2));
}

TEST_P(ServerStreamTest, B02_AbortedAfterAMessage) {
  Use(TestPolicy());
  server().Script(kCall,
                  {Script({ReadOne(), Send("a"), End(StatusCode::ABORTED)})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_THAT(stream->ReadAll(), ElementsAre("a"));
  Expect(stream->Finish(),
         {StatusCode::ABORTED, "no", {"-"}, Reason::kCommitted, -1});
}

class ClientStreamTest : public StreamEndToEndTest {};

TEST_P(ClientStreamTest, B03_ReplayedInOrderWithTheHalfClose) {
  Use(TestPolicy());
  server().Script(kCall,
                  {Script({ReadOne(), ReadOne(), End(StatusCode::ABORTED)}),
                   Script({ReadToEnd(), Send("done"), End()})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_TRUE(stream->Write("a"));
  EXPECT_TRUE(stream->Write("b"));
  ASSERT_TRUE(server().log().WaitForEnd(kCall, 1));
  EXPECT_TRUE(stream->Write("c"));
  EXPECT_TRUE(stream->WritesDone());
  const EchoResult result = stream->Finish();
  EXPECT_EQ(result.response.message(), "done");
  Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_THAT(Requests(1), ElementsAre("a", "b"));
  EXPECT_THAT(Requests(2), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(HalfClosed(2));
}

// The half-close came before the failure: it is kept, too.
TEST_P(ClientStreamTest, B03_HalfCloseIsReplayed) {
  Use(TestPolicy());
  server().Script(kCall, {Script({ReadToEnd(), End(StatusCode::ABORTED)}),
                          Script({ReadToEnd(), Send("done"), End()})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_TRUE(stream->Write("a"));
  EXPECT_TRUE(stream->WritesDone());
  EXPECT_EQ(stream->Finish().response.message(), "done");
  ExpectAttempts(kCall, 2);
  EXPECT_THAT(Requests(2), ElementsAre("a"));
  EXPECT_TRUE(HalfClosed(1));
  EXPECT_TRUE(HalfClosed(2));
}

TEST_P(BidiStreamTest, B04_ReplayThenCommit) {
  Use(TestPolicy());
  server().Script(kCall,
                  {Script({ReadOne(), ReadOne(), End(StatusCode::ABORTED)}),
                   Script({ReadOne(), ReadOne(), ReadOne(), Send("reply"),
                           End(StatusCode::ABORTED)})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_TRUE(stream->Write("foo"));
  EXPECT_TRUE(stream->Write("bar"));
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
  EXPECT_TRUE(stream->Write("baz"));
  EXPECT_THAT(stream->ReadAll(), ElementsAre("reply"));
  Expect(stream->Finish(), {StatusCode::ABORTED,
                            "no" + Why(Reason::kCommitted, 2),
                            {"-", "1"},
                            Reason::kCommitted,
                            -2});
  EXPECT_THAT(Requests(1), ElementsAre("foo", "bar"));
  EXPECT_THAT(Requests(2), ElementsAre("foo", "bar", "baz"));
}

TEST_P(BidiStreamTest, B05_AbortedAfterCommit) {
  Use(TestPolicy());
  server().Script(
      kCall,
      {Script({ReadOne(), Send("a"), Send("b"), End(StatusCode::ABORTED)})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_TRUE(stream->Write("hello"));
  EXPECT_THAT(stream->ReadAll(), ElementsAre("a", "b"));
  Expect(stream->Finish(),
         {StatusCode::ABORTED, "no", {"-"}, Reason::kCommitted, -1});
}

// The messages are larger than what the wire takes before the server reads.
TEST_P(SendingStreamTest, B06_SecondAttemptEndsBeforeTheReplayIsDone) {
  Use(TestPolicy());
  server().Script(
      kCall,
      {Script({ReadOne(), ReadOne(), ReadOne(), End(StatusCode::ABORTED)}),
       Script({End(StatusCode::INVALID_ARGUMENT)})});
  const auto stream = NewStream();
  stream->Start();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream->WriteBytes(256 << 10));
  Expect(stream->Finish(), {StatusCode::INVALID_ARGUMENT,
                            "no",
                            {"-", "1"},
                            Reason::kNotRetryable,
                            -1});
}

TEST_P(AnyStreamTest, B13_HeadersReadByTheApplication) {
  Use(TestPolicy());
  server().Script(
      kCall, {Script({SendHeaders(), Gate("read"), End(StatusCode::ABORTED)})
                  .WithInitialMetadata("key", "value")});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_TRUE(stream->ReadHeaders());
  server().OpenGate("read");
  const EchoResult result = stream->Finish();
  EXPECT_EQ(ValueOf(result.initial_metadata, "key"), "value");
  Expect(result, {StatusCode::ABORTED, "no", {"-"}, Reason::kCommitted, -1});
}

TEST_P(SendingStreamTest, B14_LastMessageWithTheHalfClose) {
  Use(TestPolicy());
  server().Script(kCall, {Script({ReadToEnd(), End(StatusCode::ABORTED)}),
                          Script({ReadToEnd(), Send("done"), End()})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_TRUE(stream->Write("a"));
  EXPECT_TRUE(stream->WriteLast("b"));
  testing::EchoResponse response;
  EXPECT_EQ(stream->Read(&response), kind() == StreamKind::kBidi);
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  for (int attempt : {1, 2}) {
    EXPECT_THAT(Requests(attempt), ElementsAre("a", "b"));
    EXPECT_TRUE(HalfClosed(attempt));
  }
}

// Headers, the only message and the half-close are one batch.
TEST_P(SendingStreamTest, B14_EverythingInOneBatch) {
  Use(TestPolicy());
  server().Script(kCall, {Script({ReadToEnd(), End(StatusCode::ABORTED)}),
                          Script({ReadToEnd(), Send("done"), End()})});
  const auto stream = NewStream();
  stream->Cork();
  stream->Start();
  EXPECT_TRUE(stream->WriteLast("a"));
  testing::EchoResponse response;
  EXPECT_EQ(stream->Read(&response), kind() == StreamKind::kBidi);
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  for (int attempt : {1, 2}) {
    EXPECT_THAT(Requests(attempt), ElementsAre("a"));
    EXPECT_TRUE(HalfClosed(attempt));
  }
}

TEST_P(BidiStreamTest, B17_ServerClosesEarlyWithOk) {
  Use(TestPolicy());
  const auto talk = [](EchoStream& stream) {
    stream.Start();
    EXPECT_TRUE(stream.Write("hello"));
    EXPECT_THAT(stream.ReadAll(), ElementsAre("a"));
    EXPECT_FALSE(stream.Write("too late"));
    return stream.Finish();
  };
  for (const char* id : {kCall, "plain"}) {
    server().Script(id, {Script({ReadOne(), Send("a"), End()})});
  }
  const EchoResult plain = talk(*NewPlainStream("plain"));
  const EchoResult ours = talk(*NewStream());
  ExpectSame(ours, plain);
  Expect(ours, {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
}

// Reactors ask for the status at once; the reads of all begin before the
// first write.
TEST_P(BidiStreamTest, B18_ReadsBeforeWrites) {
  Use(TestPolicy());
  server().Script(kCall, {Script({ReadOne(), End(StatusCode::ABORTED)}),
                          Script({ReadOne(), ReadToEnd(), Send("a"), End()})});
  const auto stream = NewStream();
  stream->Start();
  std::thread reader([&] { EXPECT_THAT(stream->ReadAll(), ElementsAre("a")); });
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  EXPECT_TRUE(stream->Write("1"));
  EXPECT_TRUE(stream->Write("2"));
  EXPECT_TRUE(stream->WritesDone());
  reader.join();
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_THAT(Requests(2), ElementsAre("1", "2"));
}

INSTANTIATE_TEST_SUITE_P(, ServerStreamTest,
                         ValuesIn(StylesOf(StreamKind::kServer)),
                         StreamStyleTestName);
INSTANTIATE_TEST_SUITE_P(, ClientStreamTest,
                         ValuesIn(StylesOf(StreamKind::kClient)),
                         StreamStyleTestName);
INSTANTIATE_TEST_SUITE_P(, BidiStreamTest,
                         ValuesIn(StylesOf(StreamKind::kBidi)),
                         StreamStyleTestName);
INSTANTIATE_TEST_SUITE_P(, SendingStreamTest, ValuesIn(SendingStyles()),
                         StreamStyleTestName);
INSTANTIATE_TEST_SUITE_P(, AnyStreamTest, ValuesIn(AllStreamStyles()),
                         StreamStyleTestName);

}  // namespace
}  // namespace retrykit
