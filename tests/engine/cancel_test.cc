// The application's cancel in every phase, and what comes late.
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CancelTest, A09_BeforeTheStartSendsNothing) {
  EngineStory story;
  EXPECT_THAT(story.Cancel(),
              ElementsAre("FinishCall CANCELLED cancelled after 0"));
  EXPECT_THAT(story.Start(), IsEmpty());
}

TEST(CancelTest, DuringTheFirstAttemptCancelsIt) {
  EngineStory story;
  story.Start();
  EXPECT_THAT(
      story.Cancel(),
      ElementsAre("CancelAttempt 1", "FinishCall CANCELLED cancelled after 1"));
}

TEST(CancelTest, A07_DuringTheBackoffDisarmsTheTimer) {
  EngineStory story;
  story.Start();
  story.End(1, Failed());
  EXPECT_THAT(
      story.Cancel(),
      ElementsAre("DisarmTimer 1", "FinishCall CANCELLED cancelled after 1"));
}

TEST(CancelTest, A08_DuringARetryCancelsTheLiveAttemptAlone) {
  EngineStory story;
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  EXPECT_THAT(
      story.Cancel(),
      ElementsAre("CancelAttempt 2", "FinishCall CANCELLED cancelled after 2"));
}

TEST(CancelTest, AfterTheCommitCancelsTheCommittedAttempt) {
  EngineStory story;
  story.Start();
  story.Headers(1);
  EXPECT_THAT(
      story.Cancel(),
      ElementsAre("CancelAttempt 1", "FinishCall CANCELLED cancelled after 1"));
}

TEST(CancelTest, AfterTheEndDoesNothing) {
  EngineStory story;
  story.Start();
  story.End(1, Succeeded());
  EXPECT_THAT(story.Cancel(), IsEmpty());
}

TEST(CancelTest, TwiceIsOnce) {
  EngineStory story;
  story.Start();
  story.Cancel();
  EXPECT_THAT(story.Cancel(), IsEmpty());
}

TEST(CancelTest, ChargesNothing) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  story.Start();
  story.Cancel();
  EXPECT_THAT(story.End(1, Failed()), IsEmpty());
  EXPECT_EQ(story.budget().milli_tokens(), 10'000);
}

TEST(LateEventsTest, AfterACancelHaveNoEffect) {
  EngineStory story;
  story.Start();
  story.Cancel();
  EXPECT_THAT(story.Headers(1), IsEmpty());
  EXPECT_THAT(story.End(1, Succeeded()), IsEmpty());
  EXPECT_THAT(story.Fire(1), IsEmpty());
}

TEST(LateEventsTest, ATimerThatFiredWhileTheCallWasCancelledStartsNothing) {
  EngineStory story;
  story.Start();
  story.End(1, Failed());
  story.Cancel();
  story.Pass(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1), IsEmpty());
}

TEST(LateEventsTest, AnAttemptEndsOnce) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  story.Start();
  story.End(1, Failed());
  EXPECT_THAT(story.End(1, Succeeded()), IsEmpty());
  EXPECT_THAT(story.Headers(1), IsEmpty());
  story.Pass(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1), ElementsAre("StartAttempt 2 retry previous 1"));
  EXPECT_THAT(story.End(1, Failed()), IsEmpty());
  EXPECT_EQ(story.budget().milli_tokens(), 9000);
}

TEST(LateEventsTest, ATimerFiresOnce) {
  EngineStory story;
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  EXPECT_THAT(story.Fire(1), IsEmpty());
  story.End(2, Failed());
  EXPECT_THAT(story.Fire(1), IsEmpty());
  story.Pass(absl::Milliseconds(40));
  EXPECT_THAT(story.Fire(2), ElementsAre("StartAttempt 3 retry previous 2"));
}

TEST(LateEventsTest, UnknownNumbersHaveNoEffect) {
  EngineStory story;
  EXPECT_THAT(story.End(1, Succeeded()), IsEmpty());
  EXPECT_THAT(story.Headers(1), IsEmpty());
  EXPECT_THAT(story.Fire(1), IsEmpty());
  story.Start();
  for (int unknown : {-2147483647, -1, 0, 2, 2147483647}) {
    EXPECT_THAT(story.End(unknown, Succeeded()), IsEmpty());
    EXPECT_THAT(story.Headers(unknown), IsEmpty());
    EXPECT_THAT(story.Fire(unknown), IsEmpty());
  }
  story.End(1, Failed());
  for (int unknown : {-1, 0, 2}) EXPECT_THAT(story.Fire(unknown), IsEmpty());
}

}  // namespace
}  // namespace retrykit
