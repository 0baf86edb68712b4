// What a stream hands to its application, and what that commits.
#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/stream_story.h"

namespace retrykit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StreamDeliveryTest, B02_AMessageCommits) {
  StreamStory story;
  story.WriteLast();
  story.Start();
  story.Wrote(1);
  story.Step(ReadAsked{});
  EXPECT_THAT(
      story.Step(AttemptRead{1, 10}),
      ElementsAre("ForgetMessages below 1", "StartRead 1", "DeliverMessage 1"));
  EXPECT_EQ(story.quota.used(), 0);
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED committed after 1"));
}

// The application may ask for it a moment too late.
TEST(StreamDeliveryTest, B02_AMessageCommitsBeforeItIsAskedFor) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  EXPECT_THAT(story.Step(AttemptRead{1, 10}), ElementsAre("StartRead 1"));
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED committed after 1"));
  EXPECT_THAT(story.Step(ReadAsked{}), ElementsAre("DeliverMessage 1"));
}

TEST(StreamDeliveryTest, AClientStreamsResponseDoesNotCommit) {
  StreamStory story;
  story.options.response_with_status = true;
  story.Start();
  story.Wrote(1);
  EXPECT_THAT(story.Step(AttemptRead{1, 10}), IsEmpty());  // No read ahead.
  EXPECT_THAT(story.Step(StatusArrived{1, Failed()}),
              ElementsAre("ArmTimer 1 at 20ms"));
}

TEST(StreamDeliveryTest, B13_HeadersCommitOnlyWhenAskedFor) {
  for (const bool asked : {true, false}) {
    StreamStory story;
    story.Start();
    story.Wrote(1);
    if (asked) story.Step(HeadersAsked{});
    const Lines arrived = story.Step(HeadersArrived{1});
    const Lines end = story.End(1, Failed());
    if (asked) {
      EXPECT_THAT(arrived, ElementsAre("DeliverHeaders 1"));
      EXPECT_THAT(
          end, ElementsAre("FinishCall attempt 1 ABORTED committed after 1"));
    } else {
      EXPECT_THAT(arrived, IsEmpty());
      EXPECT_THAT(end, ElementsAre("ArmTimer 1 at 20ms"));
    }
  }
}

// A second before its deadline a reactor was given one of two messages, and
// waits for the end.
struct UnreadByItsReactor : StreamStory {
  UnreadByItsReactor() {
    options.status_after_reads = true;
    setup.deadline = clock.Now() + absl::Seconds(1);
    Step(ResultAsked{});
    Start();
    Wrote(1);
    Step(ReadAsked{});
    Step(AttemptRead{1, 10});
    Step(AttemptRead{1, 10});
  }
};

// A reactor that has stopped reading is told of its end all the same.
TEST(StreamDeliveryTest, TheDeadlineDropsWhatWasNotAskedFor) {
  UnreadByItsReactor story;
  story.clock.Advance(absl::Seconds(1));
  EXPECT_THAT(
      story.End(1, Failed(absl::StatusCode::kDeadlineExceeded)),
      ElementsAre(
          "FinishCall attempt 1 DEADLINE_EXCEEDED deadline_exceeded after 1",
          "DeliverResult"));
}

TEST(StreamDeliveryTest, AResultThatWaitsForReadsEndsByTheDeadline) {
  UnreadByItsReactor story;
  const Lines ended = story.End(1, Succeeded());
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_THAT(ended[1], testing::EndsWith("at 1s"));
  const int timer = std::stoi(ended[1].substr(sizeof("ArmTimer")));
  story.clock.Advance(absl::Seconds(1));
  EXPECT_THAT(story.Fire(timer), ElementsAre("DeliverResult late"));
}

TEST(StreamDeliveryTest, AResultThatWasReadOutInTimeDisarmsThat) {
  UnreadByItsReactor story;
  story.End(1, Succeeded());
  const Lines read = story.Step(ReadAsked{});
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0], "DeliverMessage 1");
  EXPECT_THAT(read[1], testing::StartsWith("DisarmTimer"));
  EXPECT_EQ(read[2], "DeliverResult");
}

TEST(StreamDeliveryTest, WhatWasReadComesBeforeTheEnd) {
  StreamStory story;
  story.options.status_after_reads = true;
  story.Step(ResultAsked{});
  story.Start();
  story.Wrote(1);
  story.Step(ReadAsked{});
  story.Step(AttemptRead{1, 10});
  story.Step(AttemptRead{1, 20});  // Ahead of the application.
  EXPECT_THAT(story.End(1, Succeeded()),
              ElementsAre("FinishCall attempt 1 OK success after 1"));
  EXPECT_THAT(story.Step(ReadAsked{}),
              ElementsAre("DeliverMessage 1", "DeliverResult"));
  EXPECT_THAT(story.Step(ReadAsked{}), ElementsAre("FailRead"));
}

TEST(StreamDeliveryTest, ReadsRunAheadByBytes) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Step(ReadAsked{});
  story.Step(AttemptRead{1, 10});
  EXPECT_THAT(story.Step(AttemptRead{1, kRunAheadBytes - 1}),
              ElementsAre("StartRead 1"));
  EXPECT_THAT(story.Step(AttemptRead{1, 1}), IsEmpty());
  EXPECT_THAT(story.Step(ReadAsked{}),
              ElementsAre("DeliverMessage 1", "StartRead 1"));
}

TEST(StreamDeliveryTest, B11_ACancelCompletesEverythingOnce) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Write();
  story.Step(ReadAsked{});
  story.Step(ResultAsked{});
  EXPECT_THAT(
      story.Step(CallCancelled{}),
      ElementsAre("CancelAttempt 1", "FinishCall CANCELLED cancelled after 1",
                  "ForgetMessages below 1", "CompleteWrite failed", "FailRead",
                  "DeliverResult"));
  EXPECT_THAT(story.Step(CallCancelled{}), IsEmpty());
  EXPECT_THAT(story.Step(AttemptWrote{1, false}), IsEmpty());
  EXPECT_THAT(story.End(1, Failed(absl::StatusCode::kCancelled)), IsEmpty());
}

TEST(StreamDeliveryTest, ACancelThatTakesMessagesDoesNotEndWithOk) {
  StreamStory story;
  story.options.status_after_reads = true;
  story.Step(ResultAsked{});
  story.Start();
  story.Wrote(1);
  story.Step(ReadAsked{});
  story.Step(AttemptRead{1, 10});
  story.Step(AttemptRead{1, 20});  // Ahead of the application.
  story.End(1, Succeeded());
  EXPECT_THAT(story.Step(CallCancelled{}),
              ElementsAre("DeliverResult cancelled"));
  EXPECT_THAT(story.Step(ReadAsked{}), ElementsAre("FailRead"));
}

TEST(StreamDeliveryTest, ACancelAfterTheLastMessageLeavesTheStatus) {
  StreamStory story;
  story.Start();
  story.Wrote(1);
  story.Step(ReadAsked{});
  story.Step(AttemptRead{1, 10});
  story.End(1, Succeeded());
  EXPECT_THAT(story.Step(CallCancelled{}), IsEmpty());
  EXPECT_THAT(story.Step(ResultAsked{}), ElementsAre("DeliverResult"));
}

TEST(StreamDeliveryTest, TheFirstMessageDisarmsTheTimeout) {
  StreamStory story;
  story.setup.timer_per_attempt = true;
  story.setup.per_attempt_timeout = absl::Milliseconds(100);
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first",
                                         "ArmTimer 1 at 100ms", "StartRead 1"));
  story.Wrote(1);
  EXPECT_THAT(story.Step(AttemptRead{1, 10}),
              ElementsAre("DisarmTimer 1", "StartRead 1"));
}

TEST(StreamDeliveryTest, AnOwnTimeoutIsRetried) {
  StreamStory story;
  story.setup.timer_per_attempt = true;
  story.setup.per_attempt_timeout = absl::Milliseconds(100);
  story.Start();
  story.clock.Advance(absl::Milliseconds(100));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("CancelAttempt 1", "ArmTimer 2 at 120ms"));
}

}  // namespace
}  // namespace retrykit
