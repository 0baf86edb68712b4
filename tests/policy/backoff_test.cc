#include "interceptors/policy/backoff.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/support/row_name.h"
#include "tests/support/seeded_random.h"

namespace retrykit {
namespace {

constexpr Jitter kJitters[] = {Jitter::kDecorrelated, Jitter::kFull,
                               Jitter::kEqual, Jitter::kProportional,
                               Jitter::kNone};

BackoffOptions OptionsOf(Jitter jitter) {
  BackoffOptions options;
  options.initial_backoff = absl::Milliseconds(100);
  options.max_backoff = absl::Milliseconds(500);
  options.multiplier = 2;
  options.jitter = jitter;
  return options;
}

// The first delays with every draw from `fraction` of its interval; whole
// microseconds, since the highest draw is a hair below the interval's end.
std::vector<int64_t> DelaysInMicros(const BackoffOptions& options,
                                    double fraction, int count) {
  ScriptedRandom random({fraction});
  Backoff backoff;
  std::vector<int64_t> delays;
  for (int i = 0; i < count; ++i) {
    delays.push_back(absl::ToInt64Microseconds(backoff.Next(options, random) +
                                               absl::Nanoseconds(500)));
  }
  return delays;
}

struct Row {
  std::string name;
  Jitter jitter;
  double fraction;
  std::vector<int64_t> micros;
};

class BackoffTableTest : public testing::TestWithParam<Row> {};

TEST_P(BackoffTableTest, GivesTheseDelays) {
  const Row& row = GetParam();
  EXPECT_EQ(DelaysInMicros(OptionsOf(row.jitter), row.fraction,
                           static_cast<int>(row.micros.size())),
            row.micros);
}

// B = 100 ms, C = 500 ms, M = 2.
INSTANTIATE_TEST_SUITE_P(
    Jitters, BackoffTableTest,
    testing::Values(
        Row{"NoneDoublesUpToTheCap",
            Jitter::kNone,
            0.5,
            {100000, 200000, 400000, 500000, 500000}},
        Row{"FullLowest", Jitter::kFull, 0, {0, 0, 0, 0}},
        Row{"FullMiddle", Jitter::kFull, 0.5, {50000, 100000, 200000, 250000}},
        Row{"FullHighest", Jitter::kFull, 1, {100000, 200000, 400000, 500000}},
        Row{"EqualLowest", Jitter::kEqual, 0, {50000, 100000, 200000, 250000}},
        Row{"EqualMiddle",
            Jitter::kEqual,
            0.5,
            {75000, 150000, 300000, 375000}},
        Row{"EqualHighest",
            Jitter::kEqual,
            1,
            {100000, 200000, 400000, 500000}},
        Row{"ProportionalLowest",
            Jitter::kProportional,
            0,
            {80000, 160000, 320000, 400000}},
        Row{"ProportionalMiddle",
            Jitter::kProportional,
            0.5,
            {100000, 200000, 400000, 500000}},
        Row{"ProportionalHighestIsCapped",
            Jitter::kProportional,
            1,
            {120000, 240000, 480000, 500000}},
        Row{"DecorrelatedLowestStaysAtB",
            Jitter::kDecorrelated,
            0,
            {100000, 100000, 100000}},
        // (100, 400), (100, 500) from there on.
        Row{"DecorrelatedMiddle",
            Jitter::kDecorrelated,
            0.5,
            {250000, 300000, 300000}},
        Row{"DecorrelatedQuarterFollowsThePrevious",
            Jitter::kDecorrelated,
            0.125,
            // (100, 400), then (100, 550 -> 500), then (100, 600 -> 500).
            {137500, 150000, 150000}},
        Row{"DecorrelatedHighest",
            Jitter::kDecorrelated,
            1,
            {400000, 500000, 500000}}),
    RowName());

// M = 1.5 is the three times of the article that the jitter comes from.
TEST(BackoffTest, DecorrelatedWithOneAndAHalfDrawsUpToThreeTimesThePrevious) {
  BackoffOptions options = OptionsOf(Jitter::kDecorrelated);
  options.multiplier = 1.5;
  options.max_backoff = absl::Seconds(100);
  EXPECT_EQ(DelaysInMicros(options, 1, 4),
            (std::vector<int64_t>{300000, 900000, 2700000, 8100000}));
}

struct PointRow {
  std::string name;
  absl::Duration initial;
  absl::Duration max;
  double multiplier;
  absl::Duration point;
};

class DecorrelatedPointTest : public testing::TestWithParam<PointRow> {};

TEST_P(DecorrelatedPointTest, IsDrawnFromTheUpperFifth) {
  BackoffOptions options;
  options.initial_backoff = GetParam().initial;
  options.max_backoff = GetParam().max;
  options.multiplier = GetParam().multiplier;
  const int64_t micros = absl::ToInt64Microseconds(GetParam().point);
  EXPECT_EQ(DelaysInMicros(options, 0, 1)[0], micros * 8 / 10);
  EXPECT_EQ(DelaysInMicros(options, 1, 1)[0], micros);
}

INSTANTIATE_TEST_SUITE_P(
    Points, DecorrelatedPointTest,
    testing::Values(PointRow{"InitialAtTheCap", absl::Milliseconds(100),
                             absl::Milliseconds(100), 2,
                             absl::Milliseconds(100)},
                    PointRow{"InitialAboveTheCap", absl::Milliseconds(300),
                             absl::Milliseconds(100), 2,
                             absl::Milliseconds(100)},
                    PointRow{"MultiplierOfOneHalf", absl::Milliseconds(100),
                             absl::Seconds(1), 0.5, absl::Milliseconds(100)},
                    PointRow{"SmallerMultiplier", absl::Milliseconds(100),
                             absl::Seconds(1), 0.1, absl::Milliseconds(100)}),
    RowName());

TEST(BackoffTest, ResetStartsFromTheBeginning) {
  for (Jitter jitter : kJitters) {
    ScriptedRandom random({0.75});
    Backoff backoff;
    const BackoffOptions options = OptionsOf(jitter);
    const absl::Duration first = backoff.Next(options, random);
    const absl::Duration second = backoff.Next(options, random);
    EXPECT_LT(first, second) << static_cast<int>(jitter);
    backoff.Reset();
    EXPECT_EQ(backoff.Next(options, random), first) << static_cast<int>(jitter);
    EXPECT_EQ(backoff.Next(options, random), second)
        << static_cast<int>(jitter);
  }
}

TEST(BackoffTest, NoneDrawsNothing) {
  ScriptedRandom random({0.5});
  Backoff backoff;
  for (int i = 0; i < 10; ++i) backoff.Next(OptionsOf(Jitter::kNone), random);
  EXPECT_EQ(random.draws(), 0u);
}

TEST(BackoffTest, AMultiplierBelowOneShrinksTheDelay) {
  BackoffOptions options = OptionsOf(Jitter::kNone);
  options.multiplier = 0.5;
  EXPECT_EQ(DelaysInMicros(options, 0, 3),
            (std::vector<int64_t>{100000, 50000, 25000}));
}

TEST(BackoffTest, AMillionRetriesStayAtTheCap) {
  for (Jitter jitter : kJitters) {
    SeededRandom random;
    Backoff backoff;
    const BackoffOptions options = OptionsOf(jitter);
    for (int i = 0; i < 1'000'000; ++i) {
      const absl::Duration delay = backoff.Next(options, random);
      ASSERT_GE(delay, absl::ZeroDuration());
      ASSERT_LE(delay, options.max_backoff);
    }
  }
}

// 0 <= delay <= max_backoff for all that a config may say, and for what it may
// not.
TEST(BackoffTest, AnyInputStaysBetweenZeroAndTheCap) {
  const absl::Duration durations[] = {absl::Nanoseconds(1) / 4,
                                      absl::Nanoseconds(1),
                                      absl::Microseconds(3),
                                      absl::Milliseconds(50),
                                      absl::Seconds(1),
                                      absl::Hours(24 * 365),
                                      absl::Seconds(int64_t{1} << 62),
                                      absl::InfiniteDuration()};
  const double multipliers[] = {
      std::numeric_limits<double>::min(), 1e-9, 0.5, 1, 1.5, 1e9,
      std::numeric_limits<double>::max()};
  BackoffOptions options;
  for (Jitter jitter : kJitters) {
    for (absl::Duration initial : durations) {
      for (absl::Duration max : durations) {
        for (double multiplier : multipliers) {
          options = {initial, max, multiplier, jitter};
          for (double fraction : {0.0, 0.5, 1.0}) {
            ScriptedRandom random({fraction});
            Backoff backoff;
            for (int i = 0; i < 40; ++i) {
              const absl::Duration delay = backoff.Next(options, random);
              ASSERT_GE(delay, absl::ZeroDuration());
              ASSERT_LE(delay, max) << initial << " " << multiplier;
            }
          }
        }
      }
    }
  }
}

TEST(BackoffTest, RandomInputStaysBetweenZeroAndTheCap) {
  SeededRandom random;
  std::uniform_real_distribution<double> log_nanos(0, 43);  // Up to centuries.
  std::uniform_real_distribution<double> log_multiplier(-20, 20);
  BackoffOptions options;
  for (int i = 0; i < 20'000; ++i) {
    options.initial_backoff = absl::Nanoseconds(std::exp(log_nanos(random)));
    options.max_backoff = absl::Nanoseconds(std::exp(log_nanos(random)));
    options.multiplier = std::exp(log_multiplier(random));
    options.jitter = kJitters[i % 5];
    Backoff backoff;
    for (int n = 0; n < 20; ++n) {
      const absl::Duration delay = backoff.Next(options, random);
      ASSERT_GE(delay, absl::ZeroDuration());
      ASSERT_LE(delay, options.max_backoff);
    }
  }
}

}  // namespace
}  // namespace retrykit
