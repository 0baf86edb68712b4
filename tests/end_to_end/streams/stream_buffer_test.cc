// What a stream keeps for its replay: the limits, and writes while the replay
// goes on.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/end_to_end/streams/stream_fixture.h"
#include "tests/support/real_time.h"
#include "tests/support/toolkit_peer.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::SizeIs;
using ::testing::ValuesIn;

AttemptScript Aborted() {
  return Script({ReadOne(), End(StatusCode::ABORTED)});
}
// Reads everything and answers.
AttemptScript Answers() { return Script({ReadToEnd(), Send("done"), End()}); }

Options CallLimit(size_t bytes) {
  Options options;
  options.call_buffer_limit = bytes;
  return options;
}

std::vector<std::string> Numbers(int count) {
  std::vector<std::string> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(absl::StrCat(i));
  return numbers;
}

Outcome RefusedFor(Reason reason, int attempts = 1) {
  std::vector<std::string> headers{"-", "1", "2"};
  headers.resize(static_cast<size_t>(attempts));
  return {StatusCode::ABORTED, "no" + Why(reason, attempts), headers, reason,
          -1.0 * attempts};
}

// The pushback leaves time to write meanwhile.
TEST_P(SendingStreamTest, B07_OverTheLimitDuringBackoff) {
  Use(TestPolicy(), CallLimit(10000));
  server().Script(kCall,
                  {Aborted().WithPushback("200"),
                   Script({ReadOne(), ReadOne(), End(StatusCode::ABORTED)})});
  const auto stream = NewStream();
  stream->Start();
  EXPECT_TRUE(stream->Write("a"));
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  EXPECT_TRUE(stream->WriteBytes(20000, "b"));
  Expect(stream->Finish(), RefusedFor(Reason::kBuffer, 2));
  EXPECT_EQ(Requests(2), (std::vector<std::string>{"a", "b"}));
}

TEST_P(AnyStreamTest, B08_LimitPassedInTheFirstBatch) {
  Use(TestPolicy(), CallLimit(10000));
  const std::string large(20000, 'x');
  server().Script("ok", {Script({ReadOne(), Send("done"), End()})});
  server().Script("fails", {Aborted()});
  for (const std::string id : {"ok", "fails"}) {
    const auto stream = NewStream(id);
    if (kind() != StreamKind::kServer) stream->Cork();
    stream->Start(large);
    if (kind() != StreamKind::kServer) {
      EXPECT_TRUE(stream->Write(large));
    }
    stream->WritesDone();
    stream->ReadAll();
    const EchoResult result = stream->Finish();
    if (id == "ok") {
      Expect(result, {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0}, id);
    } else {
      Expect(result, RefusedFor(Reason::kBuffer), id);
    }
    EXPECT_EQ(Requests(1, id), std::vector<std::string>{large});
  }
}

TEST_P(SendingStreamTest, B08_LimitPassedLater) {
  Use(TestPolicy(), CallLimit(10000));
  server().Script("ok", {Answers()});
  server().Script("fails", {Script({ReadToEnd(), End(StatusCode::ABORTED)})});
  for (const std::string id : {"ok", "fails"}) {
    const auto stream = NewStream(id);
    stream->Start();
    for (const std::string& text : Numbers(20)) {
      EXPECT_TRUE(stream->WriteBytes(1000, text));
    }
    EXPECT_TRUE(stream->WritesDone());
    stream->ReadAll();
    const EchoResult result = stream->Finish();
    if (id == "ok") {
      Expect(result, {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0}, id);
    } else {
      Expect(result, RefusedFor(Reason::kBuffer), id);
    }
    EXPECT_EQ(Requests(1, id), Numbers(20));
  }
}

TEST_P(AnyStreamTest, B09_ToolkitWideLimit) {
  Options options;
  options.toolkit_buffer_limit = 10000;
  Use(TestPolicy(), options);
  const std::string large(8000, 'x');
  const auto start = [&](const std::string& id) {
    auto stream = NewStream(id);
    stream->Start(large);
    if (kind() != StreamKind::kServer) {
      EXPECT_TRUE(stream->WriteLast(large));
    }
    return stream;
  };
  server().Script("first", {Script({ReadOne()})});
  server().Script("second", {Aborted()});
  server().Script("third", {Aborted(), Answers()});
  const auto first = start("first");
  const auto second = start("second");
  Expect(second->Finish(), RefusedFor(Reason::kBuffer), "second");
  first->Cancel();
  EXPECT_EQ(first->Finish().status.error_code(), StatusCode::CANCELLED);
  ASSERT_TRUE(server().log().WaitForCancelled("first", 1));
  const auto third = start("third");
  third->ReadAll();
  EXPECT_TRUE(third->Finish().status.ok());
  ExpectAttempts("third", 2);
}

// The replay of the first twenty messages stands still, being larger than what
// the wire takes before the server reads; the buffer takes the others.
TEST_P(SendingStreamTest, B10_WritesDuringTheReplay) {
  Use(TestPolicy());
  std::vector<ServerAction> first(20, ReadOne());
  first.push_back(End(StatusCode::ABORTED));
  server().Script(kCall,
                  {Script(first).WithPushback("0"),
                   Script({Gate("go"), ReadToEnd(), Send("done"), End()})});
  const auto stream = NewStream();
  stream->Start();
  for (int i = 0; i < 40; ++i) {
    if (i == 20) {
      ASSERT_TRUE(server().log().WaitForAttempts(kCall, 2));
    }
    EXPECT_TRUE(stream->WriteBytes(64 << 10, absl::StrCat(i)));
  }
  server().OpenGate("go");
  EXPECT_TRUE(stream->WritesDone());
  stream->ReadAll();
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_EQ(Requests(2), Numbers(40));
}

// Until the server reads, a write is under way that does not end.
TEST_P(BidiStreamTest, B15_SlowServerHoldsTheClientBack) {
  ScriptedServer::Options small;
  small.fixed_window = true;
  UseServer(small);
  Use(TestPolicy());
  server().Script(
      kCall,
      {Script({ReadOne(), Gate("go"), ReadToEnd(), Send("done"), End()})});
  const auto stream = NewStream();
  stream->Start();
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 0; i < 64; ++i) {
      EXPECT_TRUE(stream->WriteBytes(64 << 10, absl::StrCat(i)));
      ++written;
    }
    EXPECT_TRUE(stream->WritesDone());
  });
  EXPECT_TRUE(Eventually([&] { return written > 0; }));
  LetPass(absl::Milliseconds(300));
  EXPECT_LT(written, 8);
  EXPECT_LE(ToolkitPeer::KeptBytes(toolkit()), 8 * ((64 << 10) + 500));
  server().OpenGate("go");
  EXPECT_THAT(stream->ReadAll(), SizeIs(1));
  writer.join();
  Expect(stream->Finish(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
  EXPECT_EQ(Requests(1), Numbers(64));
  EXPECT_EQ(ToolkitPeer::KeptBytes(toolkit()), 0);
}

// Every message is answered.
TEST_P(BidiStreamTest, B16_TenThousandMessagesEachWay) {
  constexpr int kMessages = 10000;
  Use(TestPolicy());
  std::vector<ServerAction> actions;
  for (int i = 0; i < kMessages; ++i) {
    actions.push_back(ReadOne());
    actions.push_back(Send(""));
  }
  actions.push_back(ReadToEnd());
  actions.push_back(End());
  server().Script(kCall, {Script(actions)});
  const auto stream = NewStream();
  stream->context().set_deadline(DeadlineIn(4 * kPatience));
  stream->Start();
  std::thread writer([&] {
    for (const std::string& text : Numbers(kMessages)) {
      ASSERT_TRUE(stream->Write(text));
    }
    EXPECT_TRUE(stream->WritesDone());
  });
  EXPECT_EQ(stream->ReadAll(), Numbers(kMessages));
  writer.join();
  Expect(stream->Finish(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
  EXPECT_EQ(Requests(1), Numbers(kMessages));
}

INSTANTIATE_TEST_SUITE_P(, BidiStreamTest,
                         ValuesIn(StylesOf(StreamKind::kBidi)),
                         StreamStyleTestName);
INSTANTIATE_TEST_SUITE_P(, SendingStreamTest, ValuesIn(SendingStyles()),
                         StreamStyleTestName);
INSTANTIATE_TEST_SUITE_P(, AnyStreamTest, ValuesIn(AllStreamStyles()),
                         StreamStyleTestName);

}  // namespace
}  // namespace retrykit
