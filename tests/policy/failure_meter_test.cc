#include "interceptors/policy/failure_meter.h"

#include <cstdint>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"
#include "interceptors/policy/rolling_window.h"

namespace retrykit {
namespace {

using Quick = FailureMeter::Quick;

constexpr absl::Duration kTick = absl::Nanoseconds(1);
constexpr uint64_t kGeneration = 7;
const Instant kStart = Instant::FromNanos(1'000'000'000'000);

FailureThresholds Thresholds(int64_t minimum_calls) {
  FailureThresholds thresholds;
  thresholds.minimum_calls = minimum_calls;
  return thresholds;
}

void Start(FailureMeter& meter, const FailureThresholds& thresholds) {
  meter.Restart(thresholds, MakeTimeWindow(absl::Seconds(10), kStart),
                kGeneration);
}

bool Fail(FailureMeter& meter, Instant now = kStart) {
  return meter.Count(/*failed=*/true, /*slow=*/false, now);
}

bool Succeed(FailureMeter& meter, Instant now = kStart) {
  switch (meter.TryCountQuietly(kGeneration, now)) {
    case Quick::kNotQuiet:
      return meter.Count(/*failed=*/false, /*slow=*/false, now);
    case Quick::kJudge:
      return meter.JudgeAgain(now);
    case Quick::kCounted:
      break;
  }
  return false;
}

TEST(FailureMeterTest, IsQuietWithoutFailuresUntilTheBucketEnds) {
  FailureMeter meter;
  Start(meter, Thresholds(20));
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, kStart), Quick::kCounted);
  const Instant end = kStart + absl::Seconds(1);
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, end - kTick), Quick::kCounted);
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, end), Quick::kNotQuiet);
  meter.Count(false, false, end);
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, end), Quick::kCounted);
}

TEST(FailureMeterTest, AFailureBelowTheMinimumEndsTheQuietUntilTheMinimum) {
  FailureMeter meter;
  Start(meter, Thresholds(4));
  EXPECT_FALSE(Fail(meter));
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, kStart), Quick::kNotQuiet);
  EXPECT_FALSE(meter.Count(false, false, kStart));
  EXPECT_FALSE(meter.Count(false, false, kStart));
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, kStart), Quick::kNotQuiet);
  EXPECT_FALSE(meter.Count(false, false, kStart));  // One of four.
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, kStart), Quick::kCounted);
}

TEST(FailureMeterTest, QuietSuccessesAreInTheNextJudgement) {
  FailureMeter meter;
  Start(meter, Thresholds(1));
  for (int i = 0; i < 3; ++i) Succeed(meter);
  EXPECT_FALSE(Fail(meter));  // 1 of 4.
  EXPECT_FALSE(Fail(meter));  // 2 of 5.
  EXPECT_TRUE(Fail(meter));   // 3 of 6.
}

TEST(FailureMeterTest, QuietSuccessesBelongToTheirOwnBucket) {
  FailureMeter meter;
  Start(meter, Thresholds(1));
  for (int i = 0; i < 3; ++i) Succeed(meter);
  Succeed(meter, kStart + absl::Seconds(5));
  // The three are ten buckets old now, the one is not: 1 of 2.
  EXPECT_FALSE(Fail(meter, kStart + absl::Seconds(10) - kTick));  // 1 of 5.
  FailureMeter later;
  Start(later, Thresholds(1));
  for (int i = 0; i < 3; ++i) Succeed(later);
  Succeed(later, kStart + absl::Seconds(5));
  EXPECT_TRUE(Fail(later, kStart + absl::Seconds(10)));
}

// The rate rises without any failure when old successes fall out: the next
// attempt, a success too, tells.
TEST(FailureMeterTest, ForgottenSuccessesRaiseTheRateAtTheNextAttempt) {
  FailureMeter meter;
  Start(meter, Thresholds(4));
  for (int i = 0; i < 6; ++i) Succeed(meter);
  const Instant later = kStart + absl::Seconds(5);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Fail(meter, later));  // 3 of 9.
  EXPECT_FALSE(Succeed(meter, kStart + absl::Seconds(10) - kTick));
  EXPECT_TRUE(Succeed(meter, kStart + absl::Seconds(10)));  // 3 of 5.
}

TEST(FailureMeterTest, ARowIsEndedByASuccess) {
  FailureThresholds thresholds = Thresholds(1000);
  thresholds.consecutive_failures = 3;
  FailureMeter meter;
  Start(meter, thresholds);
  Fail(meter);
  Fail(meter);
  Succeed(meter);
  EXPECT_FALSE(Fail(meter));
  EXPECT_FALSE(Fail(meter));
  EXPECT_TRUE(Fail(meter));
}

TEST(FailureMeterTest, ThresholdsAreReachedAtTheDecimalThatIsWritten) {
  struct Row {
    double rate;
    int failures;
    int attempts;
  };
  for (const Row& row : {Row{0.07, 7, 100}, Row{0.1, 3, 30}, Row{0.29, 29, 100},
                         Row{1.0, 5, 5}, Row{0.57, 57, 100}}) {
    FailureThresholds thresholds = Thresholds(row.attempts);
    thresholds.failure_rate = row.rate;
    FailureMeter meter;
    Start(meter, thresholds);
    for (int i = 0; i < row.attempts - row.failures; ++i) Succeed(meter);
    for (int i = 1; i < row.failures; ++i) ASSERT_FALSE(Fail(meter)) << i;
    EXPECT_TRUE(Fail(meter)) << row.rate;
  }
}

TEST(FailureMeterTest, AnEarlierNowDoesNoHarm) {
  FailureMeter meter;
  Start(meter, Thresholds(1));
  Succeed(meter, kStart + absl::Seconds(20));
  Succeed(meter, kStart);
  EXPECT_FALSE(Fail(meter, kStart - absl::Hours(1)));            // 1 of 3.
  EXPECT_TRUE(Fail(meter, kStart + absl::Seconds(20) + kTick));  // 2 of 4.
}

TEST(FailureMeterTest, RestartForgetsAllAndLocksEarlierPermitsOut) {
  FailureThresholds thresholds = Thresholds(2);
  thresholds.consecutive_failures = 2;
  FailureMeter meter;
  Start(meter, thresholds);
  Fail(meter);
  meter.Restart(kGeneration + 1, kStart);
  EXPECT_EQ(meter.TryCountQuietly(kGeneration, kStart), Quick::kCounted);
  EXPECT_FALSE(Fail(meter));  // Alone, though it is 1 of 1: one attempt.
}

TEST(FailureMeterTest, ACountWindowIsQuietAtAnyTime) {
  FailureMeter meter;
  meter.Restart(Thresholds(2), MakeCountWindow(4), kGeneration);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(meter.TryCountQuietly(kGeneration, kStart + i * absl::Hours(1)),
              Quick::kCounted);
  }
  EXPECT_FALSE(Fail(meter));  // 1 of 4.
  Succeed(meter);
  Succeed(meter);
  Succeed(meter);
  EXPECT_FALSE(Fail(meter));  // The first is four ago: 1 of 4.
  EXPECT_TRUE(Fail(meter));   // 2 of 4.
}

}  // namespace
}  // namespace retrykit
