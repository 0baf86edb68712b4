// Streams: the per-attempt timeout is a timer of the engine's, and messages
// commit.
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using State = CircuitBreaker::State;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Attempts may take 50 ms until their first message.
struct Stream : EngineStory {
  Stream() {
    setup.timer_per_attempt = true;
    setup.per_attempt_timeout = absl::Milliseconds(50);
  }
};

TEST(AttemptTimerTest, IsArmedWithTheAttemptWhichCarriesTheOverallDeadline) {
  Stream story;
  story.EndBy(absl::Seconds(1));
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first deadline 1s",
                                         "ArmTimer 1 at 50ms"));
}

TEST(AttemptTimerTest, IsNotArmedWhereTheOverallDeadlineComesFirst) {
  Stream story;
  story.EndBy(absl::Milliseconds(50));
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first deadline 50ms"));
}

TEST(AttemptTimerTest, EndsTheAttemptAsItsOwnTimeout) {
  Stream story;
  story.Start();
  story.TakeEvents();
  story.Pass(absl::Milliseconds(50));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("CancelAttempt 1", "ArmTimer 2 at 70ms"));
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_ended 1 first DEADLINE_EXCEEDED took 50ms",
                          "retry_scheduled 2 retry after 20ms backoff"));
  EXPECT_THAT(story.End(1, Failed(absl::StatusCode::kCancelled)), IsEmpty());
  story.Pass(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(2), ElementsAre("StartAttempt 2 retry previous 1",
                                         "ArmTimer 3 at 120ms"));
}

TEST(AttemptTimerTest, CountsAsTheOwnTimeoutThoughTheClockSaysItIsEarly) {
  Stream story;
  story.Start();
  EXPECT_THAT(story.Fire(1),
              ElementsAre("CancelAttempt 1", "ArmTimer 2 at 20ms"));
}

TEST(AttemptTimerTest, TheLastAttemptThatItCutsHasNoResult) {
  Stream story;
  story.rules.max_attempts = 1;
  story.Start();
  story.Pass(absl::Milliseconds(50));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("CancelAttempt 1",
                          "FinishCall DEADLINE_EXCEEDED max_attempts after 1"));
}

TEST(AttemptTimerTest, AnAttemptThatItCutWasNamedAsTheLastRealStatus) {
  Stream story;
  story.EndBy(absl::Milliseconds(100));
  story.Start();
  story.Pass(absl::Milliseconds(50));
  story.Fire(1);
  story.Pass(absl::Milliseconds(20));
  story.Fire(2);
  story.Pass(absl::Milliseconds(30));
  EXPECT_THAT(
      story.End(2, Failed(absl::StatusCode::kDeadlineExceeded)),
      ElementsAre(
          "FinishCall attempt 2 DEADLINE_EXCEEDED deadline_exceeded after 2"));
}

TEST(AttemptTimerTest, TheCallsPredicateMayVetoARetryAfterIt) {
  Stream story;
  story.Start();
  story.Pass(absl::Milliseconds(50));
  EXPECT_THAT(
      story.Step(TimerFired{1, false}),
      ElementsAre("CancelAttempt 1",
                  "FinishCall DEADLINE_EXCEEDED not_retryable after 1"));
}

TEST(AttemptTimerTest, TheDeadlineNamesTheLastStatusThatCameFromTheServer) {
  Stream story;
  story.EndBy(absl::Milliseconds(200));
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  story.Fire(2);
  story.Pass(absl::Milliseconds(50));
  story.Fire(3);
  story.Pass(absl::Milliseconds(40));
  story.Fire(4);
  story.Pass(absl::Milliseconds(90));
  EXPECT_THAT(story.End(3, Failed(absl::StatusCode::kDeadlineExceeded)),
              Contains("FinishCall attempt 3 DEADLINE_EXCEEDED "
                       "deadline_exceeded after 3 last_failure 1"));
}

TEST(AttemptTimerTest, IsDisarmedByTheFirstMessage) {
  Stream story;
  story.Start();
  EXPECT_THAT(story.Arrived(1), ElementsAre("DisarmTimer 1"));
  EXPECT_THAT(story.Arrived(1), IsEmpty());
  story.Pass(absl::Milliseconds(60));
  EXPECT_THAT(story.Fire(1), IsEmpty());
}

TEST(AttemptTimerTest, IsDisarmedByTheEndOfTheAttempt) {
  Stream story;
  story.Start();
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("DisarmTimer 1", "ArmTimer 2 at 20ms"));
  EXPECT_THAT(story.Fire(1), IsEmpty());
}

TEST(AttemptTimerTest, IsDisarmedByACancel) {
  Stream story;
  story.Start();
  EXPECT_THAT(story.Cancel(),
              ElementsAre("DisarmTimer 1", "CancelAttempt 1",
                          "FinishCall CANCELLED cancelled after 1"));
}

TEST(AttemptTimerTest, EndsACommittedAttemptWithoutAMessageForGood) {
  Stream story;
  story.Start();
  story.Headers(1);
  story.Pass(absl::Milliseconds(50));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("CancelAttempt 1",
                          "FinishCall DEADLINE_EXCEEDED committed after 1"));
}

TEST(AttemptTimerTest, OpensABreakerAsAFailure) {
  Stream story;
  story.UseBreaker(FragileBreaker());
  story.Start();
  story.Pass(absl::Milliseconds(50));
  EXPECT_THAT(story.Fire(1),
              ElementsAre("CancelAttempt 1",
                          "FinishCall DEADLINE_EXCEEDED breaker after 1"));
  EXPECT_EQ(story.breaker().state(), State::kOpen);
}

TEST(MessageTest, ThatTheApplicationGetsCommits) {
  Stream story;
  story.Start();
  story.Arrived(1);
  EXPECT_THAT(story.Message(1), ElementsAre("CommitAttempt 1"));
  EXPECT_THAT(story.Message(1), IsEmpty());
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED committed after 1"));
}

TEST(MessageTest, ThatOnlyArrivedDoesNotCommit) {
  Stream story;
  story.Start();
  story.Arrived(1);
  EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 2 at 20ms"));
}

TEST(MessageTest, MakesAStreamingProbeASuccess) {
  Stream story;
  story.UseBreaker(FragileBreaker());
  Open(story.breaker(), story.clock.Now(), story.random());
  story.Pass(absl::Seconds(5));
  story.Start();
  ASSERT_EQ(story.breaker().state(), State::kHalfOpen);
  story.Arrived(1);
  EXPECT_EQ(story.breaker().state(), State::kClosed);
  story.End(1, Failed());
  EXPECT_EQ(story.breaker().state(), State::kClosed);
}

TEST(MessageTest, TheFirstOneSaysWhetherAStreamWasSlow) {
  Stream story;
  CircuitBreakerOptions options;
  options.minimum_calls = 1;
  options.slow_call_duration = absl::Milliseconds(40);
  story.UseBreaker(options);
  story.setup.slow_call_duration = options.slow_call_duration;
  story.Start();
  story.Pass(absl::Milliseconds(40));
  story.Arrived(1);
  story.Pass(absl::Minutes(1));
  story.End(1, Succeeded());
  EXPECT_EQ(story.breaker().state(), State::kClosed);
}

TEST(BufferTest, ACallThatOutgrewItIsNotRetried) {
  Stream story;
  story.UseBudget(BudgetOf(10, 0.5));
  story.Start();
  EXPECT_THAT(story.OutgrowBuffer(), IsEmpty());
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("DisarmTimer 1",
                          "FinishCall attempt 1 ABORTED buffer after 1"));
  EXPECT_EQ(story.budget().milli_tokens(), 9000);
}

TEST(BufferTest, ACallThatOutgrewItDuringTheBackoffStillGetsItsAttempt) {
  EngineStory story;
  story.Start();
  story.End(1, Failed());
  EXPECT_THAT(story.OutgrowBuffer(), IsEmpty());
  story.Pass(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1), ElementsAre("StartAttempt 2 retry previous 1"));
  EXPECT_THAT(story.End(2, Failed()),
              ElementsAre("FinishCall attempt 2 ABORTED buffer after 2"));
}

}  // namespace
}  // namespace retrykit
