// Which limit ends a call, and what the application is told then.
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using testing::ElementsAre;

constexpr absl::Duration kTick = absl::Nanoseconds(1);

AttemptOutcome TimedOut() {
  return Failed(absl::StatusCode::kDeadlineExceeded);
}

TEST(DeadlineTest, A05_ABackoffThatDoesNotFitEndsTheCallAtOnce) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(21) - kTick);
  story.Start();
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED deadline after 1"));
}

TEST(DeadlineTest, A05_ABackoffThatJustFitsIsWaitedFor) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(21));
  story.Start();
  EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
}

TEST(DeadlineTest, A05_WithoutMinAttemptTimeABackoffUpToTheDeadlineStillEnds) {
  EngineStory story;
  story.rules.min_attempt_time = absl::ZeroDuration();
  story.EndBy(absl::Milliseconds(20));
  story.Start();
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED deadline after 1"));

  EngineStory longer;
  longer.rules.min_attempt_time = absl::ZeroDuration();
  longer.EndBy(absl::Milliseconds(20) + kTick);
  longer.Start();
  EXPECT_THAT(longer.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
}

TEST(DeadlineTest, AttemptsCarryWhatIsLeftOfTheCall) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(100));
  EXPECT_THAT(story.Start(),
              ElementsAre("StartAttempt 1 first deadline 100ms"));
}

TEST(DeadlineTest, AttemptsCarryTheirOwnTimeoutIfEarlier) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(100));
  story.setup.per_attempt_timeout = absl::Milliseconds(50);
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first deadline 50ms"));
  story.Pass(absl::Milliseconds(40));
  EXPECT_THAT(story.End(1, PushedBack(absl::ZeroDuration())),
              ElementsAre("StartAttempt 2 retry previous 1 deadline 90ms"));
  story.Pass(absl::Milliseconds(30));
  EXPECT_THAT(story.End(2, PushedBack(absl::ZeroDuration())),
              ElementsAre("StartAttempt 3 retry previous 2 deadline 100ms"));
}

TEST(DeadlineTest, AnOwnTimeoutIsRetriedThoughItsCodeIsNotListed) {
  EngineStory story;
  story.setup.per_attempt_timeout = absl::Milliseconds(50);
  story.Start();
  story.Pass(absl::Milliseconds(50));
  EXPECT_THAT(story.End(1, TimedOut()), ElementsAre("ArmTimer 1 at 70ms"));
}

TEST(DeadlineTest, AnOwnTimeoutMayEndALittleEarly) {
  EngineStory story;
  story.setup.per_attempt_timeout = absl::Milliseconds(50);
  story.Start();
  story.Pass(absl::Milliseconds(45));
  EXPECT_THAT(story.End(1, TimedOut()), ElementsAre("ArmTimer 1 at 65ms"));

  EngineStory earlier;
  earlier.setup.per_attempt_timeout = absl::Milliseconds(50);
  earlier.Start();
  earlier.Pass(absl::Milliseconds(45) - kTick);
  EXPECT_THAT(
      earlier.End(1, TimedOut()),
      ElementsAre(
          "FinishCall attempt 1 DEADLINE_EXCEEDED not_retryable after 1"));
}

TEST(DeadlineTest, TheOverallDeadlineDuringTheFirstAttempt) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  story.EndBy(absl::Milliseconds(100));
  story.Start();
  story.Pass(absl::Milliseconds(100));
  EXPECT_THAT(
      story.End(1, TimedOut()),
      ElementsAre(
          "FinishCall attempt 1 DEADLINE_EXCEEDED deadline_exceeded after 1"));
  EXPECT_EQ(story.budget().milli_tokens(), 10'000);
}

TEST(DeadlineTest, A06_TheOverallDeadlineDuringTheSecondAttemptNamesTheFirst) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(100));
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  story.Pass(absl::Milliseconds(80));
  EXPECT_THAT(
      story.End(2, TimedOut()),
      ElementsAre("FinishCall attempt 2 DEADLINE_EXCEEDED deadline_exceeded "
                  "after 2 last_failure 1"));
}

TEST(DeadlineTest, ADeadlineExceededFromTheServerIsAnOrdinaryCode) {
  EngineStory story;
  story.rules.retryable = {absl::StatusCode::kDeadlineExceeded};
  story.EndBy(absl::Seconds(10));
  story.Start();
  story.Pass(absl::Milliseconds(1));
  EXPECT_THAT(story.End(1, TimedOut()), ElementsAre("ArmTimer 1 at 21ms"));
}

TEST(DeadlineTest, ACallWhoseDeadlineHasPassedSendsNothing) {
  EngineStory story;
  story.UseBreaker(FragileBreaker());
  story.EndBy(absl::ZeroDuration());
  EXPECT_THAT(
      story.Start(),
      ElementsAre("FinishCall DEADLINE_EXCEEDED deadline_exceeded after 0"));
}

TEST(DeadlineTest, ACallATickBeforeItsDeadlineBegins) {
  EngineStory story;
  story.EndBy(kTick);
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first deadline 1ns"));
}

TEST(DeadlineTest, ATimerThatFiresTooLateGivesTheLastRealStatus) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(50));
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(50));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("FinishCall attempt 1 ABORTED deadline after 1"));
}

TEST(DeadlineTest, ATimerThatFiresATickBeforeTheDeadlineStartsTheAttempt) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(50));
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(50) - kTick);
  EXPECT_THAT(story.Fire(1),
              ElementsAre("StartAttempt 2 retry previous 1 deadline 50ms"));
}

TEST(DeadlineTest, AnAttemptThatSucceedsAtTheDeadlineIsASuccess) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(50));
  story.Start();
  story.Pass(absl::Milliseconds(51));
  EXPECT_THAT(story.End(1, Succeeded()),
              ElementsAre("FinishCall attempt 1 OK success after 1"));
}

}  // namespace
}  // namespace retrykit
