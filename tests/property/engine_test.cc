// The engine's promises, on thousands of scripts that no one would write.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "interceptors/engine/step.h"
#include "tests/property/engine_invariants.h"
#include "tests/property/engine_script.h"
#include "tests/property/engine_trace.h"

namespace retrykit {
namespace {

constexpr uint64_t kScripts = 1500;

// What the first script breaks that breaks anything.
std::string FirstBroken(std::string (*broken)(const ScriptTrace&)) {
  for (uint64_t seed = 0; seed < kScripts; ++seed) {
    const ScriptTrace trace = PlayEngineScript(RandomScript(seed));
    const std::string what = broken(trace);
    if (!what.empty())
      return absl::StrCat("script ", seed, ": ", what, "\n", TraceText(trace));
  }
  return "";
}

TEST(EveryCall, FinishesOnceAndLast) {
  EXPECT_EQ(FirstBroken(broken::FinishIsLastAndOnce), "");
}

TEST(EveryCall, IsSilentOnceFinished) {
  EXPECT_EQ(FirstBroken(broken::FinishedCallsAreSilent), "");
}

TEST(EveryCall, StartsNoAttemptAfterACommitOrACancel) {
  EXPECT_EQ(FirstBroken(broken::NoStartAfterCommitOrCancel), "");
}

TEST(EveryCall, StartsAtMostMaxAttemptsNumberedInOrder) {
  EXPECT_EQ(FirstBroken(broken::AttemptsAreLimitedAndNumberedInOrder), "");
}

TEST(EveryCall, BeginsNoAttemptAtOrPastItsDeadline) {
  EXPECT_EQ(FirstBroken(broken::NoAttemptBeginsAtOrPastTheDeadline), "");
}

TEST(EveryCall, SeesItsTimersFireOrDisarmsThem) {
  EXPECT_EQ(FirstBroken(broken::TimersFireOrAreDisarmed), "");
}

TEST(EveryCall, NeverWaitsTowardsItsDeadline) {
  EXPECT_EQ(FirstBroken(broken::TimersEndBeforeTheDeadline), "");
}

TEST(EveryCall, HasOneLiveAttemptAfterACommit) {
  EXPECT_EQ(FirstBroken(broken::OneLiveAttemptAfterCommit), "");
}

TEST(EveryCall, CancelsItsLiveAttemptsBeforeItFinishes) {
  EXPECT_EQ(FirstBroken(broken::LiveAttemptsAreCancelledAtTheEnd), "");
}

TEST(EveryCall, FinishesWithWhatHappened) {
  EXPECT_EQ(FirstBroken(broken::FinishTellsWhatHappened), "");
}

TEST(EveryCall, GivesItsPermitsBack) {
  EXPECT_EQ(FirstBroken(broken::PermitsComeBack), "");
}

TEST(EveryCall, LeavesTheBudgetBetweenZeroAndItsMaximum) {
  EXPECT_EQ(FirstBroken(broken::BudgetStaysInside), "");
}

TEST(EveryCall, IsToldFromItsStartToItsEnd) {
  EXPECT_EQ(FirstBroken(broken::EventsTellTheWholeCall), "");
}

TEST(EveryCall, IsToldWithoutNegativeDurations) {
  EXPECT_EQ(FirstBroken(broken::NoDurationIsNegative), "");
}

// Promises about what never happens are cheap.
TEST(TheScripts, ReachWhatThePromisesAreAbout) {
  int retries = 0, hedges = 0, commits = 0, disarmed = 0, cancelled = 0,
      half_open = 0;
  for (uint64_t seed = 0; seed < kScripts; ++seed) {
    const ScriptTrace trace = PlayEngineScript(RandomScript(seed));
    half_open += trace.probes_due > 0 ? 1 : 0;
    for (const CallTrace& call : trace.calls) {
      for (const TracedStep& step : call.steps) {
        for (const Action& action : step.actions.list) {
          const auto* start = std::get_if<StartAttempt>(&action);
          hedges += start != nullptr && start->kind == AttemptKind::kHedge;
          retries += start != nullptr && start->attempt > 1 ? 1 : 0;
          commits += std::holds_alternative<CommitAttempt>(action) ? 1 : 0;
          disarmed += std::holds_alternative<DisarmTimer>(action) ? 1 : 0;
          cancelled += std::holds_alternative<CancelAttempt>(action) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(retries, 500);
  EXPECT_GT(hedges, 500);
  EXPECT_GT(commits, 500);
  EXPECT_GT(disarmed, 100);
  EXPECT_GT(cancelled, 500);
  EXPECT_GT(half_open, 25);
}

}  // namespace
}  // namespace retrykit
