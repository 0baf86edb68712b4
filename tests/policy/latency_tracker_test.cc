#include "interceptors/policy/latency_tracker.h"

#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"

namespace retrykit {
namespace {

using absl::Milliseconds;

Instant At(absl::Duration since_begin) {
  return Instant() + absl::Hours(1) + since_begin;
}

void Record(LatencyTracker& tracker, int times, absl::Duration duration,
            Instant now) {
  for (int i = 0; i < times; ++i) tracker.Record(duration, now);
}

double PercentileMs(LatencyTracker& tracker, int percentile, Instant now) {
  return absl::ToDoubleMilliseconds(
      tracker.Percentile(percentile, now).value_or(absl::ZeroDuration()));
}

TEST(LatencyTrackerTest, C16_SaysNothingBelowAHundredSamples) {
  LatencyTracker tracker;
  Record(tracker, 99, Milliseconds(10), At(absl::ZeroDuration()));
  EXPECT_EQ(tracker.Percentile(95, At(absl::ZeroDuration())), absl::nullopt);
  LatencyTracker enough;
  Record(enough, 100, Milliseconds(10), At(absl::ZeroDuration()));
  EXPECT_NE(enough.Percentile(95, At(absl::ZeroDuration())), absl::nullopt);
}

TEST(LatencyTrackerTest, AnswersWithTheHundredthSampleAtOnce) {
  LatencyTracker tracker;
  const Instant now = At(absl::ZeroDuration());
  for (int i = 0; i < 99; ++i) {
    EXPECT_EQ(tracker.Percentile(95, now), absl::nullopt);
    tracker.Record(Milliseconds(10), now);
  }
  EXPECT_EQ(tracker.Percentile(95, now), absl::nullopt);
  tracker.Record(Milliseconds(10), now);
  EXPECT_NE(tracker.Percentile(95, now), absl::nullopt);
}

TEST(LatencyTrackerTest, C16_GivesEveryPercentileWithinATenth) {
  for (const int percentile : {1, 10, 50, 90, 95, 99}) {
    LatencyTracker tracker;
    for (int i = 1; i <= 1000; ++i) {
      tracker.Record(absl::Microseconds(100 * i), At(absl::ZeroDuration()));
    }
    const double exact = percentile;
    const double told = PercentileMs(tracker, percentile, At(absl::Seconds(1)));
    EXPECT_GE(told, exact) << percentile;
    EXPECT_LE(told, 1.1 * exact) << percentile;
  }
}

TEST(LatencyTrackerTest, TheTailDecides) {
  LatencyTracker tracker;
  Record(tracker, 960, Milliseconds(1), At(absl::ZeroDuration()));
  Record(tracker, 40, Milliseconds(50), At(absl::ZeroDuration()));
  EXPECT_NEAR(PercentileMs(tracker, 95, At(absl::ZeroDuration())), 1, 0.1);
  EXPECT_NEAR(PercentileMs(tracker, 97, At(absl::Seconds(1))), 50, 5);
}

TEST(LatencyTrackerTest, C16_FollowsAStepWithinAMinute) {
  LatencyTracker tracker;
  for (int second = 0; second < 60; ++second) {
    Record(tracker, 100, Milliseconds(10), At(absl::Seconds(second)));
  }
  for (int second = 60; second < 120; ++second) {
    Record(tracker, 100, Milliseconds(40), At(absl::Seconds(second)));
  }
  EXPECT_NEAR(PercentileMs(tracker, 5, At(absl::Seconds(120))), 40, 4);
}

TEST(LatencyTrackerTest, ForgetsAfterAMinute) {
  LatencyTracker tracker;
  Record(tracker, 1000, Milliseconds(10), At(absl::ZeroDuration()));
  EXPECT_NE(tracker.Percentile(50, At(absl::Seconds(45))), absl::nullopt);
  EXPECT_EQ(tracker.Percentile(50, At(absl::Seconds(61))), absl::nullopt);
}

TEST(LatencyTrackerTest, TheAnswerIsKeptForATenthOfASecond) {
  LatencyTracker tracker;
  Record(tracker, 100, Milliseconds(10), At(absl::ZeroDuration()));
  EXPECT_NEAR(PercentileMs(tracker, 50, At(absl::ZeroDuration())), 10, 1);
  Record(tracker, 900, Milliseconds(40), At(absl::ZeroDuration()));
  EXPECT_NEAR(PercentileMs(tracker, 50, At(Milliseconds(99))), 10, 1);
  EXPECT_NEAR(PercentileMs(tracker, 50, At(Milliseconds(100))), 40, 4);
}

TEST(LatencyTrackerTest, ExtremeDurationsAreTheNearestItKnows) {
  LatencyTracker tracker;
  Record(tracker, 50, absl::ZeroDuration(), At(absl::ZeroDuration()));
  Record(tracker, 50, absl::Seconds(-1), At(absl::ZeroDuration()));
  Record(tracker, 100, absl::Hours(24 * 365), At(absl::ZeroDuration()));
  EXPECT_LE(PercentileMs(tracker, 50, At(absl::ZeroDuration())), 0.002);
  EXPECT_GE(PercentileMs(tracker, 99, At(absl::Seconds(1))), 240'000);
}

TEST(LatencyTrackerTest, AnEarlierNowCountsAsTheLast) {
  LatencyTracker tracker;
  Record(tracker, 100, Milliseconds(10), At(absl::Seconds(120)));
  Record(tracker, 100, Milliseconds(10), At(absl::ZeroDuration()));
  EXPECT_NEAR(PercentileMs(tracker, 50, At(absl::Seconds(120))), 10, 1);
}

TEST(LatencyTrackerTest, ThreadsMayRecordAndAskTogether) {
  LatencyTracker tracker;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const Instant now = At(Milliseconds(20 * i));
        tracker.Record(Milliseconds(10), now);
        tracker.Percentile(95, now);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NEAR(PercentileMs(tracker, 95, At(absl::Seconds(41))), 10, 1);
}

}  // namespace
}  // namespace retrykit
