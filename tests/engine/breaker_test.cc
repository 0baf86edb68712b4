// The circuit breaker as one call sees it: permits, results, refusals.
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using State = CircuitBreaker::State;
using testing::ElementsAre;

constexpr absl::Duration kTick = absl::Nanoseconds(1);
// The first open interval of a FragileBreaker: its jitter is drawn from the
// middle.
constexpr absl::Duration kOpen = absl::Seconds(5);

AttemptOutcome TimedOut() {
  return Failed(absl::StatusCode::kDeadlineExceeded);
}

TEST(BreakerTest, D02_AnOpenOneRefusesTheCallAndSendsNothing) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  story.UseBreaker(FragileBreaker());
  Open(story.breaker(), story.clock.Now(), story.random());
  story.Pass(absl::Seconds(1));
  EXPECT_THAT(
      story.Start(),
      ElementsAre("FinishCall UNAVAILABLE breaker after 0 retry_after 4s"));
  EXPECT_THAT(story.Told(),
              ElementsAre("call_started", "breaker_rejected retry_after 4s",
                          "call_ended UNAVAILABLE breaker"));
  EXPECT_EQ(story.budget().milli_tokens(), 10'000);
}

TEST(BreakerTest, D10_OpensDuringTheBackoff) {
  EngineStory story;
  CircuitBreakerOptions options = FragileBreaker();
  options.failure_status_codes = {absl::StatusCode::kUnavailable};
  story.UseBreaker(options);
  story.Start();
  EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
  Open(story.breaker(), story.clock.Now(), story.random());
  story.Pass(absl::Milliseconds(20));
  story.TakeEvents();
  EXPECT_THAT(
      story.Fire(1),
      ElementsAre(
          "FinishCall attempt 1 ABORTED breaker after 1 retry_after 4.98s"));
  EXPECT_THAT(story.Told(),
              ElementsAre("breaker_rejected retry_after 4.98s",
                          "retry_suppressed 1 breaker",
                          "call_ended ABORTED breaker attempts 1 took 20ms"));
}

TEST(BreakerTest, D10_AFailureThatOpensItEndsItsOwnCall) {
  EngineStory story;
  story.UseBreaker(FragileBreaker());
  story.Start();
  story.TakeEvents();
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED breaker after 1"));
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_ended 1 first ABORTED",
                          "breaker_changed closed to open",
                          "retry_suppressed 1 breaker",
                          "call_ended ABORTED breaker attempts 1"));
}

TEST(BreakerTest, ACallAfterTheOpenIntervalIsTheProbeThatClosesIt) {
  EngineStory story;
  story.UseBreaker(FragileBreaker());
  Open(story.breaker(), story.clock.Now(), story.random());
  story.Pass(kOpen);
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first"));
  story.End(1, Succeeded());
  EXPECT_THAT(story.Told(),
              ElementsAre("call_started", "breaker_changed open to half_open",
                          "attempt_started 1 first", "attempt_ended 1 first OK",
                          "breaker_changed half_open to closed",
                          "call_ended OK success attempts 1"));
}

TEST(BreakerTest, ACallATickBeforeTheEndOfTheOpenIntervalIsRefused) {
  EngineStory story;
  story.UseBreaker(FragileBreaker());
  Open(story.breaker(), story.clock.Now(), story.random());
  story.Pass(kOpen - kTick);
  EXPECT_THAT(
      story.Start(),
      ElementsAre("FinishCall UNAVAILABLE breaker after 0 retry_after 1ns"));
}

TEST(BreakerTest, D05_ALateFailureOfAnEarlierStateHasNoEffect) {
  EngineStory late;
  late.UseBreaker(FragileBreaker());
  late.Start();
  Open(late.breaker(), late.clock.Now(), late.random());
  late.Pass(kOpen);
  EngineStory probe;
  probe.ShareWith(late);
  probe.clock.Set(late.clock.Now());
  probe.Start();
  probe.End(1, Succeeded());
  ASSERT_EQ(late.breaker().state(), State::kClosed);
  late.End(1, Failed());
  EXPECT_EQ(late.breaker().state(), State::kClosed);
}

// A half-open breaker whose one probe is out.
struct Probing {
  Probing() {
    story.UseBreaker(FragileBreaker());
    Open(story.breaker(), story.clock.Now(), story.random());
    story.Pass(kOpen);
    story.Start();
  }

  // Whether the one permit is there again.
  bool PermitIsBack() {
    return story.breaker().state() == State::kHalfOpen &&
           story.breaker().TryAcquire(story.clock.Now()).admitted;
  }

  EngineStory story;
};

TEST(BreakerTest, D06_AProbeCancelledByTheApplicationComesBack) {
  Probing probing;
  EXPECT_FALSE(probing.PermitIsBack());
  probing.story.Cancel();
  EXPECT_TRUE(probing.PermitIsBack());
}

TEST(BreakerTest, D06_AProbeThatEndsNeutrallyComesBack) {
  Probing probing;
  probing.story.End(1, Failed(absl::StatusCode::kResourceExhausted));
  EXPECT_TRUE(probing.PermitIsBack());
}

// It was cancelled with the call on whose behalf it was made.
TEST(BreakerTest, D06_AProbeCancelledByItsParentSaysNothing) {
  for (const bool has_parent : {true, false}) {
    EngineStory story;
    story.UseBreaker(FragileBreaker());
    story.setup.has_parent = has_parent;
    Open(story.breaker(), story.clock.Now(), story.random());
    story.Pass(absl::Seconds(5));
    story.Start();
    story.End(1, Failed(absl::StatusCode::kCancelled));
    EXPECT_EQ(story.breaker().state(), has_parent
                                           ? CircuitBreaker::State::kHalfOpen
                                           : CircuitBreaker::State::kClosed);
  }
}

TEST(BreakerTest, D06_AHungProbeIsGivenOutAgainAndItsLateResultIsVoid) {
  Probing probing;
  probing.story.Pass(kOpen - kTick);
  EXPECT_FALSE(probing.PermitIsBack());
  probing.story.Pass(kTick);
  EXPECT_TRUE(probing.PermitIsBack());
  probing.story.End(1, Failed());
  EXPECT_EQ(probing.story.breaker().state(), State::kHalfOpen);
}

TEST(BreakerTest, AProbeRefusedWhileAllAreOutKnowsNoTimeLeft) {
  Probing probing;
  EngineStory other;
  other.ShareWith(probing.story);
  other.clock.Set(probing.story.clock.Now());
  EXPECT_THAT(other.Start(),
              ElementsAre("FinishCall UNAVAILABLE breaker after 0"));
}

TEST(BreakerTest, EveryAttemptOfACallTakesAPermitOfItsOwn) {
  EngineStory story;
  CircuitBreakerOptions options = FragileBreaker();
  options.consecutive_failures = 3;
  story.UseBreaker(options);
  story.Start();
  story.End(1, PushedBack(absl::ZeroDuration()));
  story.End(2, PushedBack(absl::ZeroDuration()));
  EXPECT_EQ(story.breaker().state(), State::kClosed);
  EXPECT_THAT(story.End(3, PushedBack(absl::ZeroDuration())),
              ElementsAre("FinishCall attempt 3 ABORTED breaker after 3"));
  EXPECT_EQ(story.breaker().state(), State::kOpen);
}

TEST(BreakerTest, ReportOnlySendsAndSaysWhatItWouldHaveRefused) {
  EngineStory story;
  CircuitBreakerOptions options = FragileBreaker();
  options.mode = EnforcementMode::kReportOnly;
  story.UseBreaker(options);
  Open(story.breaker(), story.clock.Now(), story.random());
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first"));
  EXPECT_THAT(story.Told(), ElementsAre("call_started", "breaker_would_refuse",
                                        "attempt_started 1 first"));
}

// Whether an attempt that ends so after `ran` opens a breaker that the first
// failure opens.
bool Opens(EngineStory& story, absl::Duration ran,
           const AttemptOutcome& outcome) {
  story.UseBreaker(FragileBreaker());
  story.Start();
  story.Pass(ran);
  story.End(1, outcome);
  return story.breaker().state() == State::kOpen;
}

TEST(BreakerTest, D13_AnAttemptCutByItsCallBeforeAFairTimeIsNoFailure) {
  EngineStory cut;
  cut.EndBy(absl::Milliseconds(100) - kTick);
  EXPECT_FALSE(Opens(cut, absl::Milliseconds(100) - kTick, TimedOut()));
  EngineStory fair;
  fair.EndBy(absl::Milliseconds(100));
  EXPECT_TRUE(Opens(fair, absl::Milliseconds(100), TimedOut()));
}

TEST(BreakerTest, D13_ThePerAttemptTimeoutIsTheFairTimeWhereThereIsOne) {
  EngineStory cut;
  cut.setup.per_attempt_timeout = absl::Milliseconds(300);
  cut.EndBy(absl::Milliseconds(299));
  EXPECT_FALSE(Opens(cut, absl::Milliseconds(299), TimedOut()));
  EngineStory fair;
  fair.setup.per_attempt_timeout = absl::Milliseconds(300);
  fair.EndBy(absl::Milliseconds(300));
  EXPECT_TRUE(Opens(fair, absl::Milliseconds(300), TimedOut()));
}

TEST(BreakerTest, D13_AnImpatientCallerNeverOpensIt) {
  EngineStory first;
  first.UseBreaker(FragileBreaker());
  for (int call = 0; call < 100; ++call) {
    EngineStory impatient;
    impatient.ShareWith(first);
    impatient.EndBy(absl::Milliseconds(1));
    impatient.Start();
    impatient.Pass(absl::Milliseconds(1));
    impatient.End(1, TimedOut());
  }
  EXPECT_EQ(first.breaker().state(), State::kClosed);
}

TEST(BreakerTest, AnOwnTimeoutIsAFailure) {
  EngineStory story;
  story.setup.per_attempt_timeout = absl::Milliseconds(10);
  EXPECT_TRUE(Opens(story, absl::Milliseconds(10), TimedOut()));
}

// The server's own answer counts, though it came when the call had no time
// left.
TEST(BreakerTest, ARealFailureAtTheDeadlineWasTakenForAnImpatientCall) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(50));
  EXPECT_TRUE(Opens(story, absl::Milliseconds(50), Failed()));
}

TEST(BreakerTest, ASuccessAtTheDeadlineWasTakenForAnImpatientCall) {
  Probing probing;
  EngineStory& story = probing.story;
  story.Cancel();
  EngineStory last;
  last.ShareWith(story);
  last.clock.Set(story.clock.Now());
  last.EndBy(absl::Milliseconds(50));
  last.Start();
  last.Pass(absl::Milliseconds(50));
  last.End(1, Succeeded());
  EXPECT_EQ(last.breaker().state(), State::kClosed);
}

CircuitBreakerOptions SlowIsBad() {
  CircuitBreakerOptions options;
  options.minimum_calls = 1;
  options.slow_call_duration = absl::Milliseconds(50);
  options.slow_call_rate_threshold = 1;
  return options;
}

State StateAfterSuccessOf(absl::Duration took) {
  EngineStory story;
  story.UseBreaker(SlowIsBad());
  story.setup.slow_call_duration = SlowIsBad().slow_call_duration;
  story.Start();
  story.Pass(took);
  story.End(1, Succeeded());
  return story.breaker().state();
}

TEST(BreakerTest, D07_SlowIsSlowerThanTheDurationNotAsSlow) {
  EXPECT_EQ(StateAfterSuccessOf(absl::Milliseconds(50)), State::kClosed);
  EXPECT_EQ(StateAfterSuccessOf(absl::Milliseconds(50) + kTick), State::kOpen);
}

}  // namespace
}  // namespace retrykit
