// A call from its start to every reason for which it may end.
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/engine_story.h"
#include "tests/support/row_name.h"

namespace retrykit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RetryTest, A01_AFailureThenSuccess) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first"));
  EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
  EXPECT_EQ(story.budget().milli_tokens(), 9000);
  story.Pass(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1), ElementsAre("StartAttempt 2 retry previous 1"));
  EXPECT_THAT(story.End(2, Succeeded()),
              ElementsAre("FinishCall attempt 2 OK success after 2"));
  EXPECT_EQ(story.budget().milli_tokens(), 9500);
}

TEST(RetryTest, FirstAttemptSuccessArmsNoTimerAndDrawsNothing) {
  ScriptedRandom untouched({0.5});
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  story.UseBreaker(FragileBreaker());
  story.Start();
  EXPECT_THAT(story.End(1, Succeeded()),
              ElementsAre("FinishCall attempt 1 OK success after 1"));
  EXPECT_EQ(story.timers_armed(), 0u);
  EXPECT_EQ(story.random()(), untouched());
}

TEST(RetryTest, A02_EveryAttemptFails) {
  EngineStory story;
  story.Start();
  EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
  story.Pass(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1), ElementsAre("StartAttempt 2 retry previous 1"));
  EXPECT_THAT(story.End(2, Failed()), ElementsAre("ArmTimer 2 at 60ms"));
  story.Pass(absl::Milliseconds(40));
  EXPECT_THAT(story.Fire(2), ElementsAre("StartAttempt 3 retry previous 2"));
  EXPECT_THAT(story.End(3, Failed()), ElementsAre("ArmTimer 3 at 140ms"));
  story.Pass(absl::Milliseconds(80));
  EXPECT_THAT(story.Fire(3), ElementsAre("StartAttempt 4 retry previous 3"));
  EXPECT_THAT(story.End(4, Failed()),
              ElementsAre("FinishCall attempt 4 ABORTED max_attempts after 4"));
}

TEST(RetryTest, A04_ARetryMeetsAStatusThatIsNotListed) {
  EngineStory story;
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  EXPECT_THAT(
      story.End(2, Failed(absl::StatusCode::kInvalidArgument)),
      ElementsAre(
          "FinishCall attempt 2 INVALID_ARGUMENT not_retryable after 2"));
}

TEST(RetryTest, InboundAttemptsAreAddedToThoseOfThisLayer) {
  EngineStory story;
  story.setup.inbound_previous_attempts = 2;
  story.setup.suppress_nested_retries = false;
  EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first previous 2"));
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  EXPECT_THAT(story.Fire(1), ElementsAre("StartAttempt 2 retry previous 3"));
}

TEST(RetryTest, WithoutBudgetAndBreakerTheRulesAloneDecide) {
  EngineStory story;
  story.rules.max_attempts = 1;
  story.Start();
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED max_attempts after 1"));
}

struct EndRow {
  std::string name;
  std::function<void(EngineStory&)> spoil;
  AttemptOutcome outcome;
  std::string finish;
  int charge;  // Tokens that the failure takes.
};

class FirstAttemptTest : public testing::TestWithParam<EndRow> {};

TEST_P(FirstAttemptTest, EndsTheCall) {
  EngineStory story;
  story.UseBudget(BudgetOf(10, 0.5));
  GetParam().spoil(story);
  const auto before = story.budget().milli_tokens();
  story.Start();
  EXPECT_THAT(story.End(1, GetParam().outcome),
              ElementsAre("FinishCall attempt 1 " + GetParam().finish));
  EXPECT_EQ(before - story.budget().milli_tokens(), 1000 * GetParam().charge);
  EXPECT_EQ(story.timers_armed(), 0u);
}

void Nothing(EngineStory&) {}
void OneAttempt(EngineStory& story) { story.rules.max_attempts = 1; }
void HalfEmptyBudget(EngineStory& story) {
  while (story.budget().milli_tokens() > 5000) story.budget().RecordFailure();
}
void NestedRetry(EngineStory& story) {
  story.setup.inbound_previous_attempts = 1;
}
void BreakerThatThisFailureOpens(EngineStory& story) {
  story.UseBreaker(FragileBreaker());
}
void ShortDeadline(EngineStory& story) { story.EndBy(absl::Milliseconds(15)); }

AttemptOutcome Vetoed() {
  AttemptOutcome outcome = Failed();
  outcome.retryable = false;
  return outcome;
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, FirstAttemptTest,
    testing::Values(
        EndRow{"Success", Nothing, Succeeded(), "OK success after 1", 0},
        EndRow{"A03_NotRetryable", Nothing,
               Failed(absl::StatusCode::kInvalidArgument),
               "INVALID_ARGUMENT not_retryable after 1", 0},
        EndRow{"A_CANCELLED_OfTheServerIsAnOrdinaryCode", Nothing,
               Failed(absl::StatusCode::kCancelled),
               "CANCELLED not_retryable after 1", 0},
        EndRow{"VetoOfThePredicate", Nothing, Vetoed(),
               "ABORTED not_retryable after 1", 0},
        EndRow{"MaxAttempts", OneAttempt, Failed(),
               "ABORTED max_attempts after 1", 1},
        EndRow{"A14_Pushback", Nothing, ToldToStop(),
               "ABORTED pushback after 1", 1},
        EndRow{"PushbackBeyondMaxServerDelay", Nothing,
               PushedBack(absl::Seconds(60) + absl::Nanoseconds(1)),
               "ABORTED pushback after 1", 1},
        EndRow{"Nested", NestedRetry, Failed(), "ABORTED nested after 1", 1},
        EndRow{"Budget", HalfEmptyBudget, Failed(), "ABORTED budget after 1",
               1},
        EndRow{"Breaker", BreakerThatThisFailureOpens, Failed(),
               "ABORTED breaker after 1", 1},
        EndRow{"A05_Deadline", ShortDeadline, Failed(),
               "ABORTED deadline after 1", 1}),
    RowName());

TEST(RetryTest, APredicateAddsARetry) {
  EngineStory story;
  AttemptOutcome outcome = Failed(absl::StatusCode::kInvalidArgument);
  outcome.retryable = true;
  story.Start();
  EXPECT_THAT(story.End(1, outcome), ElementsAre("ArmTimer 1 at 20ms"));
}

TEST(RetryTest, HeadersThatWereHandedOutCommit) {
  EngineStory story;
  story.Start();
  EXPECT_THAT(story.Headers(1), ElementsAre("CommitAttempt 1"));
  EXPECT_THAT(story.Headers(1), IsEmpty());
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED committed after 1"));
}

TEST(RetryTest, HeadersOfARetryCommitItToo) {
  EngineStory story;
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  EXPECT_THAT(story.Headers(1), IsEmpty());
  EXPECT_THAT(story.Headers(2), ElementsAre("CommitAttempt 2"));
  EXPECT_THAT(story.End(2, Succeeded()),
              ElementsAre("FinishCall attempt 2 OK success after 2"));
}

TEST(RetryTest, StartedTwiceIsStartedOnce) {
  EngineStory story;
  story.Start();
  EXPECT_THAT(story.Start(), IsEmpty());
  story.End(1, Failed());
  EXPECT_THAT(story.Start(), IsEmpty());
}

}  // namespace
}  // namespace retrykit
