// Hedging: attempts beside live ones (gRFC A6, spec 2.7).
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/policy/hedge_load.h"
#include "interceptors/policy/latency_tracker.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using absl::Milliseconds;
using absl::StatusCode;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

AttemptOutcome Unavailable() { return Failed(StatusCode::kUnavailable); }

// Three attempts, 50 ms apart.
struct Hedged : EngineStory {
  Hedged() {
    hedging.max_attempts = 3;
    hedging.delay = Milliseconds(50);
    hedging.non_fatal = {StatusCode::kUnavailable};
    setup.hedging = &hedging;
    setup.hedge_load = &load;
  }

  HedgeRules hedging;
  HedgeLoad load;
};

TEST(HedgingTest, SendsTheNextOneEveryDelayUntilThereAreEnough) {
  Hedged story;
  EXPECT_THAT(story.Start(),
              ElementsAre("StartAttempt 1 first", "ArmTimer 1 at 50ms"));
  story.Pass(Milliseconds(50));
  EXPECT_THAT(story.Fire(1), ElementsAre("StartAttempt 2 hedge previous 1",
                                         "ArmTimer 2 at 100ms"));
  story.Pass(Milliseconds(50));
  EXPECT_THAT(story.Fire(2), ElementsAre("StartAttempt 3 hedge previous 2"));
}

TEST(HedgingTest, TheFirstSuccessWinsAndTheOthersAreCancelled) {
  Hedged story;
  story.Start();
  story.Fire(1);
  EXPECT_THAT(story.End(2, Succeeded()),
              ElementsAre("DisarmTimer 2", "CancelAttempt 1",
                          "FinishCall attempt 2 OK success after 2"));
  EXPECT_THAT(story.End(1, Succeeded()), IsEmpty());
}

TEST(HedgingTest, AnAttemptThatLostIsToldOfAsLost) {
  Hedged story;
  story.Start();
  story.Fire(1);
  story.Pass(Milliseconds(7));
  story.TakeEvents();
  story.End(2, Succeeded());
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_ended 2 hedge OK took 7ms",
                          "attempt_ended 1 first CANCELLED took 7ms lost",
                          "call_ended OK success attempts 2 took 7ms"));
}

TEST(HedgingTest, AllAtOnceWithoutADelay) {
  Hedged story;
  story.hedging.delay = absl::ZeroDuration();
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first",
                                         "StartAttempt 2 hedge previous 1",
                                         "StartAttempt 3 hedge previous 2"));
}

TEST(HedgingTest, ANonFatalFailureSendsTheNextAtOnceAndLaterOnesFollow) {
  Hedged story;
  story.Start();
  story.Pass(Milliseconds(10));
  EXPECT_THAT(story.End(1, Unavailable()),
              ElementsAre("DisarmTimer 1", "StartAttempt 2 hedge previous 1",
                          "ArmTimer 2 at 60ms"));
}

TEST(HedgingTest, AFatalFailureEndsTheCall) {
  Hedged story;
  story.Start();
  story.Fire(1);
  EXPECT_THAT(
      story.End(2, Failed(StatusCode::kInternal)),
      ElementsAre("DisarmTimer 2", "CancelAttempt 1",
                  "FinishCall attempt 2 INTERNAL not_retryable after 2"));
}

TEST(HedgingTest, IfAllFailTheLastStatusIsReturned) {
  Hedged story;
  story.Start();
  story.End(1, Unavailable());
  story.Fire(2);
  EXPECT_THAT(story.End(3, Unavailable()), IsEmpty());
  EXPECT_THAT(
      story.End(2, Unavailable()),
      ElementsAre("FinishCall attempt 2 UNAVAILABLE max_attempts after 3"));
}

TEST(HedgingTest, AnAttemptsOwnTimeoutIsNotFatal) {
  Hedged story;
  story.setup.per_attempt_timeout = Milliseconds(20);
  story.Start();
  story.Pass(Milliseconds(20));
  EXPECT_THAT(story.End(1, Failed(StatusCode::kDeadlineExceeded)),
              Contains("StartAttempt 2 hedge previous 1 deadline 40ms"));
}

TEST(HedgingTest, PushbackDelaysTheNextAndLaterOnesFollowAtTheDelay) {
  Hedged story;
  story.Start();
  AttemptOutcome told = Unavailable();
  told.pushback = Pushback::Wait(Milliseconds(120));
  EXPECT_THAT(story.End(1, told),
              ElementsAre("DisarmTimer 1", "ArmTimer 2 at 120ms"));
  story.Pass(Milliseconds(120));
  EXPECT_THAT(story.Fire(2), ElementsAre("StartAttempt 2 hedge previous 1",
                                         "ArmTimer 3 at 170ms"));
}

TEST(HedgingTest, PushbackThatSaysNoStopsNewOnesOnly) {
  Hedged story;
  story.UseBudget(BudgetOf(10, 1));
  story.Start();
  story.Fire(1);
  AttemptOutcome told = Unavailable();
  told.pushback = Pushback::Stop();
  EXPECT_THAT(story.End(1, told), ElementsAre("DisarmTimer 2"));
  EXPECT_EQ(story.budget().milli_tokens(), 9000);
  EXPECT_THAT(story.End(2, Succeeded()),
              ElementsAre("FinishCall attempt 2 OK success after 2"));
}

TEST(HedgingTest, PushbackThatSaysNoWithNothingInFlightEndsTheCall) {
  Hedged story;
  story.Start();
  AttemptOutcome told = Unavailable();
  told.pushback = Pushback::Stop();
  EXPECT_THAT(story.End(1, told),
              ElementsAre("DisarmTimer 1",
                          "FinishCall attempt 1 UNAVAILABLE pushback after 1"));
}

TEST(HedgingTest, TheBudgetDropsHedgesAndNeverHangsTheCall) {
  Hedged story;
  story.UseBudget(BudgetOf(10, 1));
  for (int i = 0; i < 5; ++i) story.budget().RecordFailure();
  story.Start();
  EXPECT_THAT(story.Fire(1), IsEmpty());
  EXPECT_THAT(story.Told(), Contains("retry_suppressed 1 budget"));
  EXPECT_THAT(story.End(1, Unavailable()),
              ElementsAre("FinishCall attempt 1 UNAVAILABLE budget after 1"));
}

TEST(HedgingTest, AThrottledHedgeAfterPushbackEndsTheCall) {
  Hedged story;
  story.UseBudget(BudgetOf(10, 1));
  story.Start();
  AttemptOutcome told = Unavailable();
  told.pushback = Pushback::Wait(Milliseconds(120));
  story.End(1, told);
  for (int i = 0; i < 5; ++i) story.budget().RecordFailure();
  story.Pass(Milliseconds(120));
  EXPECT_THAT(story.Fire(2),
              ElementsAre("FinishCall attempt 1 UNAVAILABLE budget after 1"));
}

TEST(HedgingTest, ABudgetInReportOnlyTellsAndSends) {
  Hedged story;
  RetryBudgetOptions options = BudgetOf(10, 1);
  options.mode = EnforcementMode::kReportOnly;
  story.UseBudget(options);
  for (int i = 0; i < 5; ++i) story.budget().RecordFailure();
  story.Start();
  EXPECT_THAT(story.Fire(1), Contains("StartAttempt 2 hedge previous 1"));
  EXPECT_THAT(story.Told(), Contains("budget_would_refuse"));
}

TEST(HedgingTest, AnOpenBreakerStopsNewOnesAndTheLiveOneCounts) {
  Hedged story;
  story.UseBreaker(FragileBreaker());
  story.Start();
  Open(story.breaker(), story.clock.Now(), story.random());
  story.Pass(Milliseconds(50));
  EXPECT_THAT(story.Fire(1), IsEmpty());
  EXPECT_THAT(story.End(1, Succeeded()),
              ElementsAre("FinishCall attempt 1 OK success after 1"));
}

TEST(HedgingTest, ALostAttemptCountsNeitherWayAtTheBreaker) {
  Hedged story;
  CircuitBreakerOptions options = FragileBreaker();
  options.failure_status_codes = {StatusCode::kCancelled};
  story.UseBreaker(options);
  story.Start();
  story.Fire(1);
  story.End(2, Succeeded());
  EXPECT_EQ(story.breaker().state(), CircuitBreaker::State::kClosed);
}

TEST(HedgingTest, C15_StaysUnderItsShareOfTheMethodsCalls) {
  Hedged story;
  story.hedging.max_extra_load = 0.1;
  for (int i = 0; i < 3; ++i) story.load.TryHedge(1, story.clock.Now());
  story.Start();
  EXPECT_THAT(story.Fire(1), IsEmpty());
  EXPECT_THAT(story.Told(), Contains("retry_suppressed 1 hedge_load"));
}

TEST(HedgingTest, OnBehalfOfARetrySendsNone) {
  Hedged story;
  story.setup.inbound_previous_attempts = 1;
  story.Start();
  EXPECT_THAT(story.Fire(1), IsEmpty());
  EXPECT_THAT(story.Told(), Contains("retry_suppressed 1 nested"));
}

TEST(HedgingTest, ReportOnlyTellsOfTheHedgeAndSendsNone) {
  Hedged story;
  story.hedging.report_only = true;
  story.Start();
  EXPECT_THAT(story.Fire(1), IsEmpty());
  EXPECT_THAT(story.Told(), Contains("hedge_would_start"));
  EXPECT_THAT(
      story.End(1, Unavailable()),
      ElementsAre("FinishCall attempt 1 UNAVAILABLE max_attempts after 1"));
}

TEST(HedgingTest, NeverWaitsTowardsTheDeadline) {
  Hedged story;
  story.EndBy(Milliseconds(50));
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first deadline 50ms"));
  story.Pass(Milliseconds(50));
  EXPECT_THAT(
      story.End(1, Failed(StatusCode::kDeadlineExceeded)),
      ElementsAre("FinishCall attempt 1 DEADLINE_EXCEEDED deadline_exceeded "
                  "after 1"));
}

TEST(HedgingTest, TheDeadlineNamesTheLastRealStatus) {
  Hedged story;
  story.EndBy(Milliseconds(100));
  story.Start();
  story.End(1, Unavailable());
  story.Pass(Milliseconds(100));
  EXPECT_THAT(story.End(2, Failed(StatusCode::kDeadlineExceeded)),
              Contains("FinishCall attempt 2 DEADLINE_EXCEEDED "
                       "deadline_exceeded after 2 last_failure 1"));
}

TEST(HedgingTest, ACancelEndsEverythingOnceAndStartsNothing) {
  Hedged story;
  story.Start();
  story.Fire(1);
  EXPECT_THAT(story.Cancel(),
              ElementsAre("DisarmTimer 2", "CancelAttempt 1", "CancelAttempt 2",
                          "FinishCall CANCELLED cancelled after 2"));
  EXPECT_THAT(story.Fire(2), IsEmpty());
  EXPECT_THAT(story.End(1, Succeeded()), IsEmpty());
}

TEST(HedgingTest, TheFirstMessageOfAStreamWins) {
  Hedged story;
  story.Start();
  story.Fire(1);
  EXPECT_THAT(story.Arrived(2), ElementsAre("DisarmTimer 2", "CancelAttempt 1",
                                            "CommitAttempt 2"));
  EXPECT_THAT(
      story.End(2, Unavailable()),
      ElementsAre("FinishCall attempt 2 UNAVAILABLE committed after 2"));
}

TEST(HedgingTest, AStreamThatOutgrewItsBufferIsNotHedged) {
  Hedged story;
  story.OutgrowBuffer();
  story.Start();
  EXPECT_THAT(story.Fire(1), IsEmpty());
  EXPECT_THAT(story.End(1, Unavailable()),
              ElementsAre("FinishCall attempt 1 UNAVAILABLE buffer after 1"));
}

// What the tracker was told: too few samples for an answer, so add others.
absl::Duration Learned(LatencyTracker& latency, Instant now) {
  for (int i = 0; i < 99; ++i) latency.Record(Milliseconds(1000), now);
  return latency.Percentile(1, now).value_or(absl::ZeroDuration());
}

TEST(HedgingTest, LearnsTheFirstAttemptsDuration) {
  Hedged story;
  LatencyTracker latency;
  story.setup.latency = &latency;
  story.Start();
  story.Pass(Milliseconds(16));
  story.End(1, Succeeded());
  EXPECT_NEAR(absl::ToDoubleMilliseconds(Learned(latency, story.clock.Now())),
              16, 1.1);
}

TEST(HedgingTest, LearnsTheAgeOfAFirstAttemptThatLost) {
  Hedged story;
  LatencyTracker latency;
  story.setup.latency = &latency;
  story.Start();
  story.Pass(Milliseconds(50));
  story.Fire(1);
  story.Pass(Milliseconds(14));
  story.End(2, Succeeded());
  EXPECT_NEAR(absl::ToDoubleMilliseconds(Learned(latency, story.clock.Now())),
              64, 4.1);
}

TEST(HedgingTest, C16_LearnsNothingFromFailures) {
  Hedged story;
  LatencyTracker latency;
  story.setup.latency = &latency;
  story.Start();
  story.End(1, Unavailable());
  story.End(2, Succeeded());
  EXPECT_EQ(Learned(latency, story.clock.Now()), absl::ZeroDuration());
}

}  // namespace
}  // namespace retrykit
