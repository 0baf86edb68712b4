// The server's word on when to try again: exact delays in virtual time.
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using testing::ElementsAre;

constexpr absl::Duration kTick = absl::Nanoseconds(1);

TEST(ServerDelayTest, A13_PushbackIsExactAndTheBackoffRestartsAtInitial) {
  EngineStory story;
  story.rules.max_attempts = 5;
  story.Start();
  EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  EXPECT_THAT(story.End(2, PushedBack(absl::Milliseconds(200))),
              ElementsAre("ArmTimer 2 at 220ms"));
  story.Pass(absl::Milliseconds(200));
  EXPECT_THAT(story.Fire(2), ElementsAre("StartAttempt 3 retry previous 2"));
  EXPECT_THAT(story.End(3, Failed()), ElementsAre("ArmTimer 3 at 240ms"));
  story.Pass(absl::Milliseconds(20));
  story.Fire(3);
  EXPECT_THAT(story.End(4, Failed()), ElementsAre("ArmTimer 4 at 280ms"));
}

TEST(ServerDelayTest, A13_DecorrelatedJitterRestartsAtInitialToo) {
  EngineStory story(1);
  story.rules.backoff.jitter = Jitter::kDecorrelated;
  story.rules.backoff.max_backoff = absl::Seconds(10);
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(80));
  story.Fire(1);
  story.End(2, PushedBack(absl::Milliseconds(200)));
  story.Pass(absl::Milliseconds(200));
  story.Fire(2);
  story.TakeEvents();
  story.End(3, Failed());
  const absl::Duration delay = story.TakeEvents().back().delay;
  EXPECT_GT(delay, absl::Milliseconds(79));
  EXPECT_LE(delay, absl::Milliseconds(80));
}

TEST(ServerDelayTest, A14_PushbackThatSaysNoCostsATokenAndEndsTheCall) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  story.Start();
  EXPECT_THAT(story.End(1, ToldToStop()),
              ElementsAre("FinishCall attempt 1 ABORTED pushback after 1"));
  EXPECT_EQ(story.budget().milli_tokens(), 9000);
}

TEST(ServerDelayTest, A15_PushbackZeroStartsAtOnceWithoutATimer) {
  EngineStory story;
  story.Start();
  EXPECT_THAT(story.End(1, PushedBack(absl::ZeroDuration())),
              ElementsAre("StartAttempt 2 retry previous 1"));
  EXPECT_EQ(story.timers_armed(), 0u);
}

TEST(ServerDelayTest, A15_PushbackZeroStillCountsAttempts) {
  EngineStory story;
  story.Start();
  for (int attempt = 1; attempt < 4; ++attempt)
    story.End(attempt, PushedBack(absl::ZeroDuration()));
  EXPECT_THAT(story.End(4, PushedBack(absl::ZeroDuration())),
              ElementsAre("FinishCall attempt 4 ABORTED max_attempts after 4"));
}

TEST(ServerDelayTest, A16_TheStatusIsJudgedBeforeThePushback) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  AttemptOutcome outcome = PushedBack(absl::Milliseconds(10));
  outcome.code = absl::StatusCode::kInvalidArgument;
  story.Start();
  EXPECT_THAT(
      story.End(1, outcome),
      ElementsAre(
          "FinishCall attempt 1 INVALID_ARGUMENT not_retryable after 1"));
  EXPECT_EQ(story.budget().milli_tokens(), 10'000);
}

TEST(ServerDelayTest, A16_PushbackThatSaysNoIsChargedWhateverTheStatus) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  AttemptOutcome outcome = ToldToStop();
  outcome.code = absl::StatusCode::kInvalidArgument;
  story.Start();
  EXPECT_THAT(
      story.End(1, outcome),
      ElementsAre(
          "FinishCall attempt 1 INVALID_ARGUMENT not_retryable after 1"));
  EXPECT_EQ(story.budget().milli_tokens(), 9000);
}

// What a retry after RetryInfo waits when the spread is drawn at `chance`.
absl::Duration RetryInfoDelay(absl::Duration told, double chance) {
  EngineStory story(chance);
  story.Start();
  story.TakeEvents();
  story.End(1, ToldToWait(told));
  const CallEvent event = story.TakeEvents().back();
  EXPECT_EQ(event.delay_source, DelaySource::kRetryInfo);
  return event.delay;
}

TEST(ServerDelayTest, A17_RetryInfoIsRoundedUpAndSpread) {
  const absl::Duration told = absl::Milliseconds(150) + absl::Nanoseconds(100);
  EXPECT_EQ(RetryInfoDelay(told, 0), absl::Milliseconds(151));
  EXPECT_EQ(RetryInfoDelay(told, 0.5), 1.1 * absl::Milliseconds(151));
  for (double chance : {0.1, 0.3, 0.9, 0.999999}) {
    EXPECT_GE(RetryInfoDelay(told, chance), absl::Milliseconds(151));
    EXPECT_LT(RetryInfoDelay(told, chance), 1.2 * absl::Milliseconds(151));
  }
}

TEST(ServerDelayTest, A17_TheTimerIsArmedForTheSpreadDelay) {
  EngineStory story(0);
  story.Start();
  story.Pass(absl::Milliseconds(5));
  EXPECT_THAT(story.End(1, ToldToWait(absl::Milliseconds(150))),
              ElementsAre("ArmTimer 1 at 155ms"));
}

TEST(ServerDelayTest, A17_RetryInfoOfZeroOrLessIsIgnored) {
  for (absl::Duration told : {absl::ZeroDuration(), absl::Seconds(-1)}) {
    EngineStory story;
    story.Start();
    EXPECT_THAT(story.End(1, ToldToWait(told)),
                ElementsAre("ArmTimer 1 at 20ms"));
  }
}

TEST(ServerDelayTest, A17_AYearOfRetryInfoEndsTheCall) {
  EngineStory story;
  story.Start();
  EXPECT_THAT(story.End(1, ToldToWait(absl::Hours(24 * 365))),
              ElementsAre("FinishCall attempt 1 ABORTED pushback after 1"));
}

TEST(ServerDelayTest, A17_PushbackBeatsRetryInfo) {
  EngineStory story;
  AttemptOutcome outcome = PushedBack(absl::Milliseconds(7));
  outcome.retry_info = absl::Milliseconds(150);
  story.Start();
  EXPECT_THAT(story.End(1, outcome), ElementsAre("ArmTimer 1 at 7ms"));
}

TEST(ServerDelayTest, A17_RetryInfoResetsTheBackoff) {
  EngineStory story(0);
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  story.End(2, ToldToWait(absl::Milliseconds(5)));
  story.Pass(absl::Milliseconds(5));
  story.Fire(2);
  EXPECT_THAT(story.End(3, Failed()), ElementsAre("ArmTimer 3 at 45ms"));
}

TEST(ServerDelayTest, A18_PushbackLongerThanTheTimeLeftEndsAtOnce) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(201) - kTick);
  story.Start();
  EXPECT_THAT(story.End(1, PushedBack(absl::Milliseconds(200))),
              ElementsAre("FinishCall attempt 1 ABORTED deadline after 1"));
}

TEST(ServerDelayTest, A18_PushbackThatJustFitsIsWaitedFor) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(201));
  story.Start();
  EXPECT_THAT(story.End(1, PushedBack(absl::Milliseconds(200))),
              ElementsAre("ArmTimer 1 at 200ms"));
  story.Pass(absl::Milliseconds(200));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("StartAttempt 2 retry previous 1 deadline 201ms"));
}

}  // namespace
}  // namespace retrykit
