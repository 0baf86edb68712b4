#include "interceptors/policy/retry_budget.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace retrykit {
namespace {

RetryBudgetOptions Numbers(int64_t max_milli_tokens,
                           int64_t milli_token_ratio) {
  RetryBudgetOptions options;
  options.max_milli_tokens = max_milli_tokens;
  options.milli_token_ratio = milli_token_ratio;
  return options;
}

struct Step {
  char event;  // 'F'ailure or 'S'uccess.
  int64_t milli_tokens;
  bool allowed;
};

TEST(RetryBudgetTest, A29_BudgetTrace) {
  constexpr Step kTrace[] = {
      {'F', 3000, true},  {'S', 4000, true},  {'F', 3000, true},
      {'F', 2000, false}, {'F', 1000, false}, {'F', 0, false},
      {'F', 0, false},    {'S', 1600, false}, {'S', 3200, true},
      {'F', 2200, true},  {'F', 1200, false}, {'S', 2800, true},
      {'F', 1800, false}, {'S', 3400, true},  {'F', 2400, true}};
  RetryBudget budget(Numbers(4000, 1600));
  EXPECT_EQ(budget.milli_tokens(), 4000);
  int step = 0;
  for (const Step& expected : kTrace) {
    SCOPED_TRACE(testing::Message() << "step " << ++step);
    if (expected.event == 'S') {
      budget.RecordSuccess();
    } else {
      EXPECT_EQ(budget.RecordFailure(), expected.milli_tokens);
    }
    EXPECT_EQ(budget.milli_tokens(), expected.milli_tokens);
    EXPECT_EQ(budget.WouldAllow(), expected.allowed);
  }
}

TEST(RetryBudgetTest, A29_ReplacedAfterOneFailureKeepsTheFilledShare) {
  RetryBudget budget(Numbers(4000, 1000));
  budget.RecordFailure();
  budget.Reconfigure(Numbers(10'000, 3000));
  EXPECT_EQ(budget.milli_tokens(), 7500);
  EXPECT_EQ(budget.max_milli_tokens(), 10'000);
  budget.RecordFailure();
  budget.RecordFailure();
  budget.RecordFailure();
  EXPECT_EQ(budget.milli_tokens(), 4500);
  budget.RecordSuccess();
  EXPECT_EQ(budget.milli_tokens(), 7500);
}

TEST(RetryBudgetTest, StopsAtHalfNotOneMilliTokenAbove) {
  RetryBudget at_half(Numbers(2000, 1));
  at_half.RecordFailure();
  EXPECT_EQ(at_half.milli_tokens(), 1000);
  EXPECT_FALSE(at_half.WouldAllow());
  at_half.RecordSuccess();
  EXPECT_EQ(at_half.milli_tokens(), 1001);
  EXPECT_TRUE(at_half.WouldAllow());
}

TEST(RetryBudgetTest, AnOddMaximumHasItsHalfBetweenTwoMilliTokens) {
  RetryBudget budget(Numbers(2001, 1));
  budget.RecordFailure();  // 1001 of 2001.
  EXPECT_TRUE(budget.WouldAllow());
  RetryBudget lower(Numbers(1999, 1));
  lower.RecordFailure();  // 999 of 1999.
  EXPECT_FALSE(lower.WouldAllow());
  lower.RecordSuccess();  // 1000 of 1999.
  EXPECT_TRUE(lower.WouldAllow());
}

TEST(RetryBudgetTest, StaysBetweenEmptyAndFull) {
  RetryBudget budget(Numbers(1500, 700));
  budget.RecordSuccess();
  EXPECT_EQ(budget.milli_tokens(), 1500);
  EXPECT_EQ(budget.RecordFailure(), 500);
  EXPECT_EQ(budget.RecordFailure(), 0);
  EXPECT_EQ(budget.RecordFailure(), 0);
  budget.RecordSuccess();
  budget.RecordSuccess();
  EXPECT_EQ(budget.milli_tokens(), 1400);
  budget.RecordSuccess();
  EXPECT_EQ(budget.milli_tokens(), 1500);
}

TEST(RetryBudgetTest, TheLargestNumbersFit) {
  RetryBudget budget(Numbers(1'000'000, 1'000'000));
  EXPECT_EQ(budget.milli_tokens(), 1'000'000);
  for (int i = 0; i < 1000; ++i) budget.RecordFailure();
  EXPECT_EQ(budget.milli_tokens(), 0);
  budget.RecordSuccess();
  EXPECT_EQ(budget.milli_tokens(), 1'000'000);
}

TEST(RetryBudgetTest, ARatioAboveTheMaximumFillsTheBucket) {
  RetryBudget budget(Numbers(2000, 1'000'000'000));
  budget.RecordFailure();
  budget.RecordFailure();
  budget.RecordSuccess();
  EXPECT_EQ(budget.milli_tokens(), 2000);
}

TEST(RetryBudgetTest, OneThousandTokensLastFiveHundredFailures) {
  RetryBudget budget(Numbers(1'000'000, 1000));
  for (int i = 0; i < 499; ++i) budget.RecordFailure();
  EXPECT_TRUE(budget.WouldAllow());
  budget.RecordFailure();
  EXPECT_FALSE(budget.WouldAllow());
}

TEST(RetryBudgetTest, ReportOnlyAllowsAndStillKnowsBetter) {
  RetryBudgetOptions options = Numbers(2000, 100);
  options.mode = EnforcementMode::kReportOnly;
  RetryBudget budget(options);
  budget.RecordFailure();
  EXPECT_FALSE(budget.WouldAllow());
  EXPECT_TRUE(budget.Allows());
  EXPECT_EQ(budget.mode(), EnforcementMode::kReportOnly);

  options.mode = EnforcementMode::kEnforce;
  budget.Reconfigure(options);
  EXPECT_FALSE(budget.Allows());
  EXPECT_EQ(budget.milli_tokens(), 1000);
}

TEST(RetryBudgetTest, ReconfigureKeepsEmptyEmptyAndFullFull) {
  RetryBudget budget(Numbers(3000, 1000));
  budget.Reconfigure(Numbers(7000, 1000));
  EXPECT_EQ(budget.milli_tokens(), 7000);
  for (int i = 0; i < 7; ++i) budget.RecordFailure();
  budget.Reconfigure(Numbers(900'000, 1000));
  EXPECT_EQ(budget.milli_tokens(), 0);
}

TEST(RetryBudgetTest, EqualOptionsAreEqual) {
  EXPECT_TRUE(Numbers(4000, 100) == Numbers(4000, 100));
  EXPECT_FALSE(Numbers(4000, 100) == Numbers(4000, 101));
  EXPECT_FALSE(Numbers(4000, 100) == Numbers(4001, 100));
  RetryBudgetOptions report_only = Numbers(4000, 100);
  report_only.mode = EnforcementMode::kReportOnly;
  EXPECT_FALSE(Numbers(4000, 100) == report_only);
}

void OnThreads(int count, void (*body)(RetryBudget&, int),
               RetryBudget& budget) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&budget, body, i] { body(budget, i); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(RetryBudgetTest, EightThreadsLoseNoToken) {
  RetryBudget budget(Numbers(1'000'000, 3));
  OnThreads(
      8,
      [](RetryBudget& shared, int) {
        for (int i = 0; i < 100; ++i) shared.RecordFailure();
      },
      budget);
  EXPECT_EQ(budget.milli_tokens(), 200'000);
  OnThreads(
      8,
      [](RetryBudget& shared, int) {
        for (int i = 0; i < 1000; ++i) shared.RecordSuccess();
      },
      budget);
  EXPECT_EQ(budget.milli_tokens(), 224'000);
}

TEST(RetryBudgetTest, NeverLeavesItsBoundsUnderThreadsAndReloads) {
  RetryBudget budget(Numbers(10'000, 900));
  OnThreads(
      8,
      [](RetryBudget& shared, int number) {
        for (int i = 0; i < 2000; ++i) {
          if (number == 0) {
            shared.Reconfigure(Numbers(i % 2 == 0 ? 10'000 : 3000, 900));
          } else if (number % 2 == 0) {
            shared.RecordSuccess();
          } else {
            const int64_t left = shared.RecordFailure();
            ASSERT_GE(left, 0);
            ASSERT_LE(left, 10'000);
          }
          ASSERT_GE(shared.milli_tokens(), 0);
          ASSERT_LE(shared.milli_tokens(), 10'000);
        }
      },
      budget);
  EXPECT_LE(budget.milli_tokens(), budget.max_milli_tokens());
}

}  // namespace
}  // namespace retrykit
