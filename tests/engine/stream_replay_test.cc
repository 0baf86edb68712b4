// What a stream sends to its attempts: each message once, in order, again to
// every attempt until one is committed.
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/stream_story.h"

namespace retrykit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A started stream that has sent two messages of 100 bytes.
void SendTwo(StreamStory& story) {
  story.Start();
  story.Wrote(1);
  for (int i = 0; i < 2; ++i) {
    story.Write();
    story.Wrote(1);
  }
}

// The first attempt fails and the second begins.
Lines Retry(StreamStory& story) {
  story.End(1, Failed());
  story.clock.Advance(absl::Milliseconds(20));
  return story.Fire(1);
}

TEST(StreamReplayTest, AWriteCompletesWhenTheWireTakesIt) {
  StreamStory story;
  EXPECT_THAT(story.Start(),
              ElementsAre("StartAttempt 1 first", "StartRead 1"));
  EXPECT_THAT(story.Write(), IsEmpty());  // The opening is still under way.
  EXPECT_THAT(story.Wrote(1), ElementsAre("SendMessage 1 0"));
  EXPECT_THAT(story.Wrote(1), ElementsAre("CompleteWrite"));
  EXPECT_EQ(story.kept_bytes(), 100 + kMessageOverhead);
}

TEST(StreamReplayTest, AMessageInTheFirstBatchGoesWithTheHeaders) {
  StreamStory story;
  story.WriteLast();
  EXPECT_THAT(story.Start(),
              ElementsAre("StartAttempt 1 first with a message",
                          "SendMessage 1 0 last", "StartRead 1"));
}

TEST(StreamReplayTest, B03_EverythingIsSentAgainInOrder) {
  StreamStory story;
  SendTwo(story);
  story.Step(HalfCloseAsked{});
  story.Wrote(1);
  EXPECT_THAT(Retry(story),
              ElementsAre("StartAttempt 2 retry previous 1 with a message",
                          "SendMessage 2 0", "StartRead 2"));
  EXPECT_THAT(story.Wrote(2), ElementsAre("SendMessage 2 1 last"));
  EXPECT_THAT(story.Wrote(2), IsEmpty());
}

TEST(StreamReplayTest, B10_WritesDuringTheReplayAreAppended) {
  StreamStory story;
  SendTwo(story);
  Retry(story);
  EXPECT_THAT(story.Write(), ElementsAre("CompleteWrite"));  // By the buffer.
  EXPECT_THAT(story.Wrote(2), ElementsAre("SendMessage 2 1"));
  EXPECT_THAT(story.Wrote(2), ElementsAre("SendMessage 2 2"));
}

TEST(StreamReplayTest, AWriteDuringBackoffIsTakenByTheBuffer) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.End(1, Failed());
  EXPECT_THAT(story.Write(), ElementsAre("CompleteWrite"));
  story.clock.Advance(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("StartAttempt 2 retry previous 1 with a message",
                          "SendMessage 2 0", "StartRead 2"));
}

TEST(StreamReplayTest, B06_AnAttemptMayEndBeforeTheReplayIsDone) {
  StreamStory story;
  story.Step(ResultAsked{});
  SendTwo(story);
  Retry(story);
  story.Step(ReadsEnded{2});
  // Whether the wire took the message is not known yet: it is told to let go.
  EXPECT_THAT(story.Step(StatusArrived{2, Failed(absl::StatusCode::kInternal)}),
              ElementsAre("CancelAttempt 2"));
  EXPECT_THAT(story.Step(AttemptWrote{2, false}),
              ElementsAre("FinishCall attempt 2 INTERNAL not_retryable after 2",
                          "ForgetMessages below 2", "DeliverResult"));
}

TEST(StreamReplayTest, B07_OverTheLimitDuringBackoff) {
  StreamStory story;
  story.options.call_buffer_limit = 1000;
  story.Start();
  story.Wrote(1);
  story.Write();
  story.Wrote(1);
  story.End(1, Failed());
  EXPECT_THAT(story.Write(2000), IsEmpty());  // Waits for the next attempt.
  story.clock.Advance(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("StartAttempt 2 retry previous 1 with a message",
                          "SendMessage 2 0", "StartRead 2"));
  EXPECT_THAT(story.Wrote(2), ElementsAre("ForgetMessages below 1",
                                          "SendMessage 2 1", "CompleteWrite"));
  EXPECT_THAT(story.Wrote(2), ElementsAre("ForgetMessages below 2"));
  EXPECT_THAT(story.End(2, Failed()),
              ElementsAre("FinishCall attempt 2 ABORTED buffer after 2"));
}

// No other attempt will need them, and others may.
TEST(StreamReplayTest, ACallThatIsNeverRetriedKeepsNothing) {
  StreamStory story;
  story.rules.max_attempts = 1;
  story.Start();
  story.Wrote(1);
  story.Write();
  EXPECT_EQ(story.kept_bytes(), 0);
  EXPECT_THAT(story.Wrote(1),
              ElementsAre("ForgetMessages below 1", "CompleteWrite"));
}

TEST(StreamReplayTest, WhatIsWrittenAfterTheEndIsForgottenAtOnce) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.End(1, Failed(absl::StatusCode::kInternal));
  EXPECT_THAT(story.Write(),
              ElementsAre("ForgetMessages below 1", "CompleteWrite failed"));
}

// ---- Writes that run ahead of the wire

TEST(StreamReplayTest, TheFirstWriteWaitsForTheWire) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  EXPECT_THAT(story.Write(), ElementsAre("SendMessage 1 0"));
  EXPECT_THAT(story.Wrote(1), ElementsAre("CompleteWrite"));
}

TEST(StreamReplayTest, OneWriteMayAlwaysRunAhead) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Write(1 << 20);
  story.Wrote(1);
  EXPECT_THAT(story.Write(1 << 20),
              ElementsAre("SendMessage 1 1", "CompleteWrite"));
  EXPECT_THAT(story.Write(1 << 20), IsEmpty());
  EXPECT_THAT(story.Wrote(1), ElementsAre("ForgetMessages below 2",
                                          "SendMessage 1 2", "CompleteWrite"));
}

TEST(StreamReplayTest, WritesRunAheadBySixtyFourKibibytes) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Write();
  story.Wrote(1);
  story.Write(kRunAheadBytes / 2);
  EXPECT_THAT(story.Write(kRunAheadBytes / 2), ElementsAre("CompleteWrite"));
  EXPECT_THAT(story.Write(1), IsEmpty());
}

TEST(StreamReplayTest, WritesRunAheadBySoManyMessages) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Write();
  story.Wrote(1);
  EXPECT_THAT(story.Write(1), ElementsAre("SendMessage 1 1", "CompleteWrite"));
  for (int64_t i = 1; i < kRunAheadMessages; ++i) {
    EXPECT_THAT(story.Write(1), ElementsAre("CompleteWrite")) << i;
  }
  EXPECT_THAT(story.Write(1), IsEmpty());
}

TEST(StreamReplayTest, ABrokenStreamTakesNoWriteAhead) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Write();
  story.Wrote(1);
  story.Write();
  story.Step(AttemptWrote{1, false});
  EXPECT_THAT(story.Write(), IsEmpty());
}

// The boundary: a message costs its bytes and 400.
TEST(StreamReplayTest, B08_ExactlyTheLimitIsKept) {
  for (const int64_t bytes : {600, 601}) {
    StreamStory story;
    story.options.call_buffer_limit = 1000;
    story.Start();
    story.Wrote(1);
    story.Write(bytes);
    EXPECT_EQ(story.kept_bytes(), bytes == 600 ? 1000 : 0);
    story.Wrote(1);
    const Lines end = story.End(1, Failed());
    EXPECT_THAT(
        end, ElementsAre(bytes == 600 ? "ArmTimer 1 at 20ms"
                                      : "FinishCall attempt 1 ABORTED buffer "
                                        "after 1"));
  }
}

TEST(StreamReplayTest, B09_TheToolkitsLimitIsSharedAndGivenBack) {
  StreamStory story(1000);
  story.quota.Take(600);  // Another call's.
  story.Start();
  story.Wrote(1);
  story.Write();
  EXPECT_EQ(story.kept_bytes(), 0);
  story.quota.GiveBack(600);
  EXPECT_EQ(story.quota.used(), 0);
  {
    StreamStory next;
    next.Start();
    next.Write();
    EXPECT_EQ(next.quota.used(), 100 + kMessageOverhead);
    next.Step(CallCancelled{});
    EXPECT_EQ(next.quota.used(), 0);
  }
}

TEST(StreamReplayTest, ABrokenWriteWaitsForTheStatus) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Write();
  EXPECT_THAT(story.Step(AttemptWrote{1, false}), IsEmpty());
  EXPECT_THAT(story.End(1, Failed(absl::StatusCode::kInternal)),
              ElementsAre("FinishCall attempt 1 INTERNAL not_retryable after 1",
                          "ForgetMessages below 1", "CompleteWrite failed"));
}

}  // namespace
}  // namespace retrykit
