#include "interceptors/policy/rolling_window.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <ostream>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"
#include "tests/support/seeded_random.h"

namespace retrykit {

bool operator==(const WindowCounts& a, const WindowCounts& b) {
  return a.attempts == b.attempts && a.failures == b.failures &&
         a.slow == b.slow;
}

std::ostream& operator<<(std::ostream& out, const WindowCounts& counts) {
  return out << counts.attempts << " attempts, " << counts.failures
             << " failures, " << counts.slow << " slow";
}

namespace {

constexpr absl::Duration kTick = absl::Nanoseconds(1);
const Instant kStart = Instant::FromNanos(1'000'000'000'000);

WindowCounts Counts(int64_t attempts, int64_t failures, int64_t slow) {
  WindowCounts counts;
  counts.attempts = attempts;
  counts.failures = failures;
  counts.slow = slow;
  return counts;
}

TEST(TimeWindowTest, D08_CountsEachKind) {
  const auto window = MakeTimeWindow(absl::Seconds(10), kStart);
  EXPECT_EQ(window->counts(), Counts(0, 0, 0));
  window->Add(/*failed=*/false, /*slow=*/false);
  window->Add(true, false);
  window->Add(false, true);
  window->Add(true, true);
  window->AddSuccesses(5);
  EXPECT_EQ(window->counts(), Counts(9, 2, 2));
}

TEST(TimeWindowTest, D08_ForgetsABucketWhenItIsTenBucketsOld) {
  const auto window = MakeTimeWindow(absl::Seconds(10), kStart);
  window->Add(true, false);
  window->Advance(kStart + absl::Seconds(1) - kTick);
  window->Add(true, false);  // Still the first bucket.
  window->Advance(kStart + absl::Seconds(1));
  window->Add(true, true);  // The second one.

  window->Advance(kStart + absl::Seconds(10) - kTick);
  EXPECT_EQ(window->counts(), Counts(3, 3, 1));
  window->Advance(kStart + absl::Seconds(10));
  EXPECT_EQ(window->counts(), Counts(1, 1, 1));
  window->Advance(kStart + absl::Seconds(11) - kTick);
  EXPECT_EQ(window->counts(), Counts(1, 1, 1));
  window->Advance(kStart + absl::Seconds(11));
  EXPECT_EQ(window->counts(), Counts(0, 0, 0));
}

TEST(TimeWindowTest, D08_RollsThroughManyTurns) {
  const auto window = MakeTimeWindow(absl::Seconds(10), kStart);
  for (int second = 0; second < 100; ++second) {
    window->Advance(kStart + absl::Seconds(second));
    window->Add(second % 2 == 0, second % 5 == 0);
    if (second >= 9) {
      ASSERT_EQ(window->counts(), Counts(10, 5, 2)) << second;
    }
  }
}

TEST(TimeWindowTest, D08_AnEarlierNowDoesNoHarm) {
  const auto window = MakeTimeWindow(absl::Seconds(10), kStart);
  window->Advance(kStart + absl::Seconds(5));
  window->Add(true, false);
  window->Advance(kStart);
  window->Add(true, false);  // As if no time had passed.
  window->Advance(kStart - absl::Hours(1));
  EXPECT_EQ(window->counts(), Counts(2, 2, 0));
  window->Advance(kStart + absl::Seconds(15) - kTick);
  EXPECT_EQ(window->counts(), Counts(2, 2, 0));
  window->Advance(kStart + absl::Seconds(15));
  EXPECT_EQ(window->counts(), Counts(0, 0, 0));
}

TEST(TimeWindowTest, D08_ALongSilenceForgetsAllAndKeepsTheGrid) {
  const auto window = MakeTimeWindow(absl::Seconds(10), kStart);
  window->AddSuccesses(7);
  window->Advance(kStart + absl::Hours(24 * 365) + absl::Milliseconds(300));
  EXPECT_EQ(window->counts(), Counts(0, 0, 0));
  EXPECT_EQ(window->NextDrop(),
            kStart + absl::Hours(24 * 365) + absl::Seconds(1));
}

TEST(TimeWindowTest, NextDropIsTheEndOfTheBucket) {
  const auto window = MakeTimeWindow(absl::Seconds(10), kStart);
  EXPECT_EQ(window->NextDrop(), kStart + absl::Seconds(1));
  window->Advance(kStart + absl::Seconds(1));
  EXPECT_EQ(window->NextDrop(), kStart + absl::Seconds(2));
}

TEST(TimeWindowTest, ClearStartsAnew) {
  const auto window = MakeTimeWindow(absl::Seconds(10), kStart);
  window->Add(true, true);
  window->Clear(kStart + absl::Milliseconds(2500));
  EXPECT_EQ(window->counts(), Counts(0, 0, 0));
  EXPECT_EQ(window->NextDrop(), kStart + absl::Milliseconds(3500));
}

TEST(TimeWindowTest, TheShortestWindowHasBucketsOfANanosecond) {
  const auto window = MakeTimeWindow(kTick, kStart);
  window->Add(true, false);
  window->Advance(kStart + 9 * kTick);
  EXPECT_EQ(window->counts(), Counts(1, 1, 0));
  window->Advance(kStart + 10 * kTick);
  EXPECT_EQ(window->counts(), Counts(0, 0, 0));
}

TEST(TimeWindowTest, AnInfiniteWindowNeverForgets) {
  const auto window = MakeTimeWindow(absl::InfiniteDuration(), kStart);
  window->Add(true, false);
  window->Advance(kStart + absl::Hours(24 * 365 * 100));
  EXPECT_EQ(window->counts(), Counts(1, 1, 0));
  EXPECT_TRUE(window->NextDrop().is_infinite());
}

TEST(CountWindowTest, D08_HoldsTheLastOnesExactly) {
  const auto window = MakeCountWindow(3);
  window->Add(true, false);
  window->Add(false, true);
  EXPECT_EQ(window->counts(), Counts(2, 1, 1));
  window->Add(false, false);
  EXPECT_EQ(window->counts(), Counts(3, 1, 1));
  window->Add(false, false);  // The failure falls out.
  EXPECT_EQ(window->counts(), Counts(3, 0, 1));
  window->Add(true, true);  // The slow one falls out.
  EXPECT_EQ(window->counts(), Counts(3, 1, 1));
}

TEST(CountWindowTest, D08_SuccessesInABatchPushOutAsManyOthers) {
  const auto window = MakeCountWindow(5);
  for (int i = 0; i < 5; ++i) window->Add(true, false);
  window->AddSuccesses(2);
  EXPECT_EQ(window->counts(), Counts(5, 3, 0));
  window->AddSuccesses(2);
  EXPECT_EQ(window->counts(), Counts(5, 1, 0));
  window->AddSuccesses(int64_t{1} << 40);
  EXPECT_EQ(window->counts(), Counts(5, 0, 0));
}

TEST(CountWindowTest, D08_TimeDoesNotMatter) {
  const auto window = MakeCountWindow(5);
  window->Add(true, false);
  window->Advance(kStart + absl::Hours(1000));
  window->Advance(kStart - absl::Hours(1000));
  EXPECT_EQ(window->counts(), Counts(1, 1, 0));
  EXPECT_TRUE(window->NextDrop().is_infinite());
}

TEST(CountWindowTest, ClearStartsAnew) {
  const auto window = MakeCountWindow(2);
  window->Add(true, true);
  window->Add(true, true);
  window->Clear(kStart);
  EXPECT_EQ(window->counts(), Counts(0, 0, 0));
  window->Add(true, false);
  EXPECT_EQ(window->counts(), Counts(1, 1, 0));
}

TEST(CountWindowTest, AWindowOfOneIsTheLastAttempt) {
  const auto window = MakeCountWindow(1);
  window->Add(true, false);
  EXPECT_EQ(window->counts(), Counts(1, 1, 0));
  window->Add(false, true);
  EXPECT_EQ(window->counts(), Counts(1, 0, 1));
}

// Against the plainest model: a queue of all attempts.
TEST(CountWindowTest, D08_AgreesWithAQueueOfAllAttempts) {
  SeededRandom random;
  for (int length : {1, 2, 7, 100}) {
    const auto window = MakeCountWindow(length);
    std::deque<WindowCounts> model;
    for (int i = 0; i < 5000; ++i) {
      const WindowCounts one =
          Counts(1, random() % 3 == 0 ? 1 : 0, random() % 4 == 0 ? 1 : 0);
      window->Add(one.failures == 1, one.slow == 1);
      model.push_back(one);
      if (static_cast<int>(model.size()) > length) model.pop_front();
      WindowCounts sum;
      for (const WindowCounts& each : model) {
        sum.attempts += each.attempts;
        sum.failures += each.failures;
        sum.slow += each.slow;
      }
      ASSERT_EQ(window->counts(), sum) << length << " " << i;
    }
  }
}

}  // namespace
}  // namespace retrykit
