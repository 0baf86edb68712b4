// The retry budget as calls see it.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using testing::ElementsAre;

TEST(BudgetTest, A28_TwoTokensNeverAllowARetry) {
  EngineStory story;
  story.UseBudget(BudgetOf(2, 1));
  story.Start();
  EXPECT_THAT(story.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED budget after 1"));
  EXPECT_EQ(story.budget().milli_tokens(), 1000);
}

struct TraceRow {
  bool success;
  int64_t milli_tokens;  // Afterwards.
  bool retried;
};

TEST(BudgetTest, A29_TheTraceOfFourTokens) {
  const std::vector<TraceRow> trace = {
      {false, 3000, true},  {true, 4000, false},  {false, 3000, true},
      {false, 2000, false}, {false, 1000, false}, {false, 0, false},
      {false, 0, false},    {true, 1600, false},  {true, 3200, false},
      {false, 2200, true},  {false, 1200, false}, {true, 2800, false},
      {false, 1800, false}, {true, 3400, false},  {false, 2400, true},
  };
  EngineStory shared;
  shared.UseBudget(BudgetOf(4, 1.6));
  for (const TraceRow& row : trace) {
    EngineStory story;
    story.ShareWith(shared);
    story.Start();
    story.End(1, row.success ? Succeeded() : Failed());
    EXPECT_EQ(shared.budget().milli_tokens(), row.milli_tokens);
    EXPECT_EQ(story.timers_armed(), row.retried ? 1u : 0u);
    story.Cancel();
  }
}

TEST(BudgetTest, TokensOfOneCallStopTheRetriesOfAnother) {
  EngineStory greedy;
  greedy.UseBudget(BudgetOf(6, 1));
  greedy.Start();
  greedy.End(1, PushedBack(absl::ZeroDuration()));
  greedy.End(2, PushedBack(absl::ZeroDuration()));
  EngineStory other;
  other.ShareWith(greedy);
  other.Start();
  EXPECT_THAT(other.End(1, Failed()),
              ElementsAre("FinishCall attempt 1 ABORTED budget after 1"));
}

TEST(BudgetTest, ReportOnlyRetriesAndSaysWhatItWouldHaveRefused) {
  EngineStory story;
  RetryBudgetOptions options = BudgetOf(2, 1);
  options.mode = EnforcementMode::kReportOnly;
  story.UseBudget(options);
  story.Start();
  story.TakeEvents();
  EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
  EXPECT_THAT(
      story.Told(),
      ElementsAre("attempt_ended 1 first ABORTED", "budget_would_refuse",
                  "retry_scheduled 2 retry after 20ms backoff"));
}

}  // namespace
}  // namespace retrykit
