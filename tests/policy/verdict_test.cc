// The order of the verdict's rules: which one ends the call, and what it costs.
#include "interceptors/policy/verdict.h"

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/reason.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"
#include "tests/support/row_name.h"
#include "tests/support/seeded_random.h"

namespace retrykit {
namespace {

const Instant kNow = Instant::FromNanos(1'000'000'000'000);

RetryBudgetOptions BudgetOf(int64_t max_milli_tokens) {
  RetryBudgetOptions options;
  options.max_milli_tokens = max_milli_tokens;
  options.milli_token_ratio = 500;
  return options;
}

CircuitBreakerOptions FragileBreaker() {
  CircuitBreakerOptions options;
  options.consecutive_failures = 1;
  return options;
}

// A failed first attempt that would be retried after 20 ms: each test spoils
// something.
struct Scene {
  Scene() {
    input.outcome.code = absl::StatusCode::kAborted;
    input.now = kNow;
    rules.max_attempts = 3;
    rules.retryable = {absl::StatusCode::kAborted};
    rules.backoff.initial_backoff = absl::Milliseconds(20);
    rules.backoff.max_backoff = absl::Milliseconds(200);
    rules.backoff.multiplier = 2;
    rules.backoff.jitter = Jitter::kNone;
  }

  Verdict Judge() {
    return retrykit::Judge(input, rules, backoff, &budget, &breaker, random);
  }

  // With the budget at half: one more failure and it refuses.
  void DrainBudget() {
    while (budget.milli_tokens() > 5000) budget.RecordFailure();
  }

  void OpenBreaker() {
    breaker.Record(breaker.TryAcquire(kNow).permit,
                   CircuitBreaker::Result::kFailure, false, kNow, random);
  }

  VerdictInput input;
  RetryRules rules;
  Backoff backoff;
  RetryBudget budget{BudgetOf(10'000)};
  CircuitBreaker breaker{FragileBreaker(), kNow};
  SeededRandom random;
};

TEST(VerdictTest, RetriesAfterTheBackoff) {
  Scene scene;
  const Verdict verdict = scene.Judge();
  EXPECT_TRUE(verdict.retry);
  EXPECT_EQ(verdict.reason, Reason::kNone);
  EXPECT_EQ(verdict.delay, absl::Milliseconds(20));
  EXPECT_EQ(verdict.source, DelaySource::kBackoff);
  EXPECT_FALSE(verdict.budget_would_refuse);
  EXPECT_EQ(scene.budget.milli_tokens(), 9000);
}

struct EndRow {
  std::string name;
  std::function<void(Scene&)> spoil;
  Reason reason;
  int64_t charge;  // Milli-tokens that the failure takes.
};

class VerdictEndTest : public testing::TestWithParam<EndRow> {};

TEST_P(VerdictEndTest, EndsTheCall) {
  Scene scene;
  GetParam().spoil(scene);
  const int64_t before = scene.budget.milli_tokens();
  const Verdict verdict = scene.Judge();
  EXPECT_FALSE(verdict.retry);
  EXPECT_EQ(ReasonText(verdict.reason), ReasonText(GetParam().reason));
  EXPECT_EQ(verdict.delay, absl::ZeroDuration());
  EXPECT_EQ(verdict.source, DelaySource::kNone);
  EXPECT_EQ(before - scene.budget.milli_tokens(), GetParam().charge);
}

void StatusNotListed(Scene& scene) {
  scene.input.outcome.code = absl::StatusCode::kInvalidArgument;
}
void StopPushback(Scene& scene) {
  scene.input.outcome.pushback = Pushback::Stop();
}

INSTANTIATE_TEST_SUITE_P(
    Ends, VerdictEndTest,
    testing::Values(
        EndRow{"Cancelled", [](Scene& s) { s.input.cancelled = true; },
               Reason::kCancelled, 0},
        EndRow{"DeadlinePassed",
               [](Scene& s) { s.input.deadline_passed = true; },
               Reason::kDeadlineExceeded, 0},
        EndRow{"NotRetryable", StatusNotListed, Reason::kNotRetryable, 0},
        EndRow{"A_CANCELLED_OfTheServerIsAnOrdinaryCode",
               [](Scene& s) {
                 s.input.outcome.code = absl::StatusCode::kCancelled;
               },
               Reason::kNotRetryable, 0},
        EndRow{"PredicateVetoes",
               [](Scene& s) { s.input.outcome.retryable = false; },
               Reason::kNotRetryable, 0},
        EndRow{"Committed", [](Scene& s) { s.input.committed = true; },
               Reason::kCommitted, 1000},
        EndRow{"Buffer",
               [](Scene& s) {
                 s.input.buffer_exceeded = true;
                 s.input.committed = true;
               },
               Reason::kBuffer, 1000},
        EndRow{"MaxAttempts", [](Scene& s) { s.input.attempts = 3; },
               Reason::kMaxAttempts, 1000},
        EndRow{"A14_PushbackSaysNo", StopPushback, Reason::kPushback, 1000},
        EndRow{"Nested", [](Scene& s) { s.input.nested = true; },
               Reason::kNested, 1000},
        EndRow{"Budget", [](Scene& s) { s.DrainBudget(); }, Reason::kBudget,
               1000},
        EndRow{"Breaker", [](Scene& s) { s.OpenBreaker(); }, Reason::kBreaker,
               1000},
        EndRow{"Deadline", [](Scene& s) { s.input.deadline = kNow; },
               Reason::kDeadline, 1000},
        // Without a retry policy: any failure, unless something else calls it
        // retryable.
        EndRow{"NoRetryPolicy",
               [](Scene& s) {
                 s.rules.max_attempts = 1;
                 s.rules.retryable = {};
               },
               Reason::kNotRetryable, 0},
        EndRow{"NoRetryPolicyOwnTimeout",
               [](Scene& s) {
                 s.rules.max_attempts = 1;
                 s.rules.retryable = {};
                 s.input.own_timeout = true;
               },
               Reason::kMaxAttempts, 1000},
        // Pairs that only the order decides.
        EndRow{"CancelledBeforeDeadlinePassed",
               [](Scene& s) {
                 s.input.cancelled = true;
                 s.input.deadline_passed = true;
               },
               Reason::kCancelled, 0},
        EndRow{"CancelledBeforePushback",
               [](Scene& s) {
                 s.input.cancelled = true;
                 StopPushback(s);
               },
               Reason::kCancelled, 0},
        EndRow{"A16_StatusBeforePushbackAndYetCharged",
               [](Scene& s) {
                 StatusNotListed(s);
                 StopPushback(s);
               },
               Reason::kNotRetryable, 1000},
        EndRow{"A16_StatusBeforeAPushbackThatAllows",
               [](Scene& s) {
                 StatusNotListed(s);
                 s.input.outcome.pushback =
                     Pushback::Wait(absl::Milliseconds(10));
               },
               Reason::kNotRetryable, 0},
        EndRow{"NotRetryableBeforeCommitted",
               [](Scene& s) {
                 StatusNotListed(s);
                 s.input.committed = true;
               },
               Reason::kNotRetryable, 0},
        EndRow{"CommittedBeforeMaxAttempts",
               [](Scene& s) {
                 s.input.committed = true;
                 s.input.attempts = 3;
               },
               Reason::kCommitted, 1000},
        EndRow{"MaxAttemptsBeforePushback",
               [](Scene& s) {
                 s.input.attempts = 3;
                 StopPushback(s);
               },
               Reason::kMaxAttempts, 1000},
        EndRow{"PushbackBeforeNested",
               [](Scene& s) {
                 StopPushback(s);
                 s.input.nested = true;
               },
               Reason::kPushback, 1000},
        EndRow{"NestedBeforeBudget",
               [](Scene& s) {
                 s.input.nested = true;
                 s.DrainBudget();
               },
               Reason::kNested, 1000},
        EndRow{"BudgetBeforeBreaker",
               [](Scene& s) {
                 s.DrainBudget();
                 s.OpenBreaker();
               },
               Reason::kBudget, 1000},
        EndRow{"BreakerBeforeDeadline",
               [](Scene& s) {
                 s.OpenBreaker();
                 s.input.deadline = kNow;
               },
               Reason::kBreaker, 1000}),
    RowName());

TEST(VerdictTest, SuccessFillsTheBudgetWhateverElseIsSet) {
  Scene scene;
  scene.DrainBudget();
  scene.input.outcome.code = absl::StatusCode::kOk;
  scene.input.outcome.retryable = true;
  scene.input.cancelled = true;
  const Verdict verdict = scene.Judge();
  EXPECT_FALSE(verdict.retry);
  EXPECT_EQ(verdict.reason, Reason::kSuccess);
  EXPECT_EQ(scene.budget.milli_tokens(), 5500);
}

TEST(VerdictTest, ThePredicateAddsWhatTheListDoesNotHave) {
  Scene scene;
  StatusNotListed(scene);
  scene.input.outcome.retryable = true;
  EXPECT_TRUE(scene.Judge().retry);
  EXPECT_EQ(scene.budget.milli_tokens(), 9000);
}

TEST(VerdictTest, AnOwnTimeoutIsRetriedThoughItsCodeIsNotListed) {
  Scene scene;
  scene.input.outcome.code = absl::StatusCode::kDeadlineExceeded;
  EXPECT_EQ(scene.Judge().reason, Reason::kNotRetryable);
  EXPECT_EQ(scene.budget.milli_tokens(), 10'000);
  scene.input.own_timeout = true;
  EXPECT_TRUE(scene.Judge().retry);
  EXPECT_EQ(scene.budget.milli_tokens(), 9000);
}

TEST(VerdictTest, ThePredicateVetoesAnOwnTimeoutToo) {
  Scene scene;
  scene.input.own_timeout = true;
  scene.input.outcome.retryable = false;
  EXPECT_EQ(scene.Judge().reason, Reason::kNotRetryable);
  EXPECT_EQ(scene.budget.milli_tokens(), 10'000);
}

TEST(VerdictTest, MaxAttemptsCountsTheFirstOne) {
  Scene scene;
  scene.input.attempts = 2;
  EXPECT_TRUE(scene.Judge().retry);
  scene.input.attempts = 3;
  EXPECT_EQ(scene.Judge().reason, Reason::kMaxAttempts);
}

TEST(VerdictTest, A28_TheFirstFailureOfTwoTokensIsNotRetried) {
  Scene scene;
  RetryBudget budget(BudgetOf(2000));
  const Verdict verdict = Judge(scene.input, scene.rules, scene.backoff,
                                &budget, nullptr, scene.random);
  EXPECT_EQ(verdict.reason, Reason::kBudget);
  EXPECT_EQ(budget.milli_tokens(), 1000);
}

TEST(VerdictTest, ReportOnlyBudgetLetsPassAndSaysSo) {
  Scene scene;
  RetryBudgetOptions options = BudgetOf(10'000);
  options.mode = EnforcementMode::kReportOnly;
  scene.budget.Reconfigure(options);
  EXPECT_FALSE(scene.Judge().budget_would_refuse);
  scene.DrainBudget();
  const Verdict verdict = scene.Judge();
  EXPECT_TRUE(verdict.retry);
  EXPECT_TRUE(verdict.budget_would_refuse);
}

TEST(VerdictTest, NoBudgetAndNoBreakerRefuseNothing) {
  Scene scene;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Judge(scene.input, scene.rules, scene.backoff, nullptr, nullptr,
                      scene.random)
                    .retry);
  }
}

TEST(VerdictTest, D10_AskingTheBreakerTakesNoPermit) {
  Scene scene;
  CircuitBreakerOptions options = FragileBreaker();
  options.half_open_probes = 1;
  scene.breaker.Reconfigure(options, kNow);
  scene.OpenBreaker();
  scene.input.now = kNow + absl::Seconds(10);
  scene.rules.backoff.max_backoff = absl::Seconds(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(scene.Judge().retry);
  EXPECT_EQ(scene.breaker.state(), CircuitBreaker::State::kOpen);
  EXPECT_TRUE(scene.breaker.TryAcquire(scene.input.now).admitted);
  EXPECT_EQ(scene.Judge().reason, Reason::kBreaker);
}

struct FitRow {
  std::string name;
  absl::Duration min_attempt_time;
  absl::Duration left;
  bool fits;
};

class VerdictDeadlineTest : public testing::TestWithParam<FitRow> {};

// The backoff is 20 ms.
TEST_P(VerdictDeadlineTest, TheDelayAndTheNextAttemptMustFit) {
  Scene scene;
  scene.rules.min_attempt_time = GetParam().min_attempt_time;
  scene.input.deadline = kNow + GetParam().left;
  const Verdict verdict = scene.Judge();
  EXPECT_EQ(verdict.retry, GetParam().fits);
  EXPECT_EQ(verdict.reason,
            GetParam().fits ? Reason::kNone : Reason::kDeadline);
}

INSTANTIATE_TEST_SUITE_P(
    Fits, VerdictDeadlineTest,
    testing::Values(
        FitRow{"JustFits", absl::Milliseconds(1), absl::Milliseconds(21), true},
        FitRow{"OneTickTooLong", absl::Milliseconds(1),
               absl::Milliseconds(21) - absl::Nanoseconds(1), false},
        FitRow{"ZeroMinimumATickIsEnough", absl::ZeroDuration(),
               absl::Milliseconds(20) + absl::Nanoseconds(1), true},
        FitRow{"ZeroMinimumNotAtTheDeadlineItself", absl::ZeroDuration(),
               absl::Milliseconds(20), false},
        FitRow{"LongMinimum", absl::Seconds(1), absl::Milliseconds(1020), true},
        FitRow{"AlreadyPassed", absl::ZeroDuration(), absl::Milliseconds(-1),
               false},
        FitRow{"NoDeadline", absl::Hours(1), absl::InfiniteDuration(), true}),
    RowName());

}  // namespace
}  // namespace retrykit
