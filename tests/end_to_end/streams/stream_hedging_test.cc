// Hedging and streams: a server stream until its first message; the other
// kinds not at all.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "tests/end_to_end/streams/stream_fixture.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HedgedStreamTest : public StreamEndToEndTest {
 protected:
  void UseHedging(const std::string& delay = "0.05s") {
    TestPolicy policy;
    policy.Hedge(delay);
    Use(policy);
  }
};

TEST_P(HedgedStreamTest, C14_TheFirstMessageWins) {
  UseHedging();
  server().Script(kCall, {Script({ReadOne()}),
                          Script({ReadOne(), Send("a"), Send("b"), End()})});
  auto stream = NewStream();
  stream->Start();
  EXPECT_THAT(stream->ReadAll(), ElementsAre("a", "b"));
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
}

TEST_P(HedgedStreamTest, C14_AfterItsFirstMessageNoHedgeIsSent) {
  UseHedging();
  server().Script(kCall, {Script({ReadOne(), Send("a"),
                                  ServerAction::Delay(absl::Milliseconds(200)),
                                  Send("b"), End()})});
  auto stream = NewStream();
  stream->Start();
  EXPECT_THAT(stream->ReadAll(), ElementsAre("a", "b"));
  Expect(stream->Finish(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0});
}

TEST_P(HedgedStreamTest, C14_OkWithoutAnyMessageWins) {
  UseHedging();
  server().Script(kCall, {Script({ReadOne()}), Script({ReadOne(), End()})});
  auto stream = NewStream();
  stream->Start();
  EXPECT_THAT(stream->ReadAll(), IsEmpty());
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
}

TEST_P(HedgedStreamTest, C14_AFailureBeforeItSendsTheNextAtOnce) {
  UseHedging("10s");
  server().Script(kCall, {Script({ReadOne(), End(StatusCode::UNAVAILABLE)}),
                          Script({ReadOne(), Send("a"), End()})});
  auto stream = NewStream();
  stream->Start();
  EXPECT_THAT(stream->ReadAll(), ElementsAre("a"));
  Expect(stream->Finish(),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
}

TEST_P(HedgedStreamTest, C14_AFailureAfterItIsTheEnd) {
  UseHedging();
  server().Script(
      kCall, {Script({ReadOne()}), Script({ReadOne(), Send("a"), Gate("go"),
                                           End(StatusCode::UNAVAILABLE)})});
  auto stream = NewStream();
  stream->Start();
  testing::EchoResponse response;
  EXPECT_TRUE(stream->Read(&response));
  server().OpenGate("go");
  EXPECT_FALSE(stream->Read(&response));
  Expect(stream->Finish(), {StatusCode::UNAVAILABLE,
                            "no" + Why(Reason::kCommitted, 2),
                            {"-", "1"},
                            Reason::kCommitted,
                            -1});
}

TEST_P(HedgedStreamTest, C10_ACancelRacesWithTheNextHedge) {
  UseHedging("0.001s");
  server().Script("silent", {Script({ReadOne()})});
  for (int round = 0; round < 50; ++round) {
    auto stream = NewStream("silent");
    stream->Start();
    LetPass(absl::Microseconds(900 + 4 * round));
    stream->Cancel();
    EXPECT_THAT(stream->ReadAll(), IsEmpty());
    EXPECT_EQ(stream->Finish().status.error_code(), StatusCode::CANCELLED);
  }
}

INSTANTIATE_TEST_SUITE_P(, HedgedStreamTest,
                         ::testing::ValuesIn(StylesOf(StreamKind::kServer)),
                         StreamStyleTestName);

class NotHedgeableTest : public HedgedStreamTest {};

TEST_P(NotHedgeableTest, C17_OneAttemptToldOncePerMethod) {
  UseHedging("0.001s");
  for (const std::string id : {"one", "two"}) {
    server().Script(id, {Script({ReadToEnd(), Gate(id), Send("a"), End()})});
    auto stream = NewStream(id);
    stream->Start();
    EXPECT_TRUE(stream->WriteLast("hello"));
    ASSERT_TRUE(server().log().WaitForAttempts(id, 1));
    LetPass(absl::Milliseconds(20));
    server().OpenGate(id);
    if (kind() == StreamKind::kBidi) {
      EXPECT_THAT(stream->ReadAll(), ElementsAre("a"));
    }
    Expect(stream->Finish(), {StatusCode::OK, "", {"-"}, Reason::kSuccess, 0},
           id);
  }
  const auto told = observer().Events(CallEvent::Type::kNotHedgeable);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].reason, Reason::kNotHedgeable);
}

INSTANTIATE_TEST_SUITE_P(, NotHedgeableTest,
                         ::testing::ValuesIn(SendingStyles()),
                         StreamStyleTestName);

}  // namespace
}  // namespace retrykit
