// What the jitters look like over many draws of a seeded generator. Bounds are
// about six standard errors, so that another generator would pass too.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/policy/backoff.h"
#include "tests/support/row_name.h"
#include "tests/support/seeded_random.h"

namespace retrykit {
namespace {

constexpr int kCalls = 40'000;

// Milliseconds of the n-th retry's delay, over many calls.
std::vector<double> SampleNth(const BackoffOptions& options, int n) {
  SeededRandom random;
  std::vector<double> sample;
  for (int i = 0; i < kCalls; ++i) {
    Backoff backoff;
    absl::Duration delay;
    for (int k = 0; k < n; ++k) delay = backoff.Next(options, random);
    sample.push_back(absl::ToDoubleMilliseconds(delay));
  }
  return sample;
}

double Mean(const std::vector<double>& sample) {
  double sum = 0;
  for (double value : sample) sum += value;
  return sum / static_cast<double>(sample.size());
}

// The share of the sample in [low, high).
double ShareIn(const std::vector<double>& sample, double low, double high) {
  const auto inside =
      std::count_if(sample.begin(), sample.end(),
                    [=](double value) { return low <= value && value < high; });
  return static_cast<double>(inside) / static_cast<double>(sample.size());
}

BackoffOptions OptionsOf(Jitter jitter) {
  BackoffOptions options;
  options.initial_backoff = absl::Milliseconds(100);
  options.max_backoff = absl::Milliseconds(1000);
  options.multiplier = 2;
  options.jitter = jitter;
  return options;
}

struct Row {
  std::string name;
  Jitter jitter;
  int n;
  double low;
  double high;
};

class UniformJitterTest : public testing::TestWithParam<Row> {};

// Each tenth of the interval gets a tenth of the draws, and nothing lies
// outside.
TEST_P(UniformJitterTest, FillsItsIntervalEvenly) {
  const Row& row = GetParam();
  const std::vector<double> sample = SampleNth(OptionsOf(row.jitter), row.n);
  const double width = row.high - row.low;
  EXPECT_NEAR(Mean(sample), (row.low + row.high) / 2, 0.009 * width);
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(ShareIn(sample, row.low + i * width / 10,
                        row.low + (i + 1) * width / 10),
                0.1, 0.009)
        << i;
  }
  EXPECT_EQ(ShareIn(sample, row.low, row.high), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Jitters, UniformJitterTest,
    testing::Values(
        Row{"FullFirst", Jitter::kFull, 1, 0, 100},
        Row{"FullThird", Jitter::kFull, 3, 0, 400},
        Row{"FullAtTheCap", Jitter::kFull, 9, 0, 1000},
        Row{"EqualFirst", Jitter::kEqual, 1, 50, 100},
        Row{"EqualThird", Jitter::kEqual, 3, 200, 400},
        Row{"EqualAtTheCap", Jitter::kEqual, 9, 500, 1000},
        Row{"ProportionalFirst", Jitter::kProportional, 1, 80, 120},
        Row{"ProportionalThird", Jitter::kProportional, 3, 320, 480},
        Row{"DecorrelatedFirst", Jitter::kDecorrelated, 1, 100, 400}),
    RowName());

TEST(ProportionalTest, AtTheCapHalfOfTheDrawsAreCut) {
  const std::vector<double> sample =
      SampleNth(OptionsOf(Jitter::kProportional), 9);
  EXPECT_NEAR(ShareIn(sample, 800, 1000), 0.5, 0.015);
  EXPECT_NEAR(ShareIn(sample, 1000, 1000.001), 0.5, 0.015);
}

// The interval ends at the cap, so draws are not cut to it: with a cut, more
// than half of them would stand there at the end.
TEST(DecorrelatedTest, NoMassPilesUpAtTheCap) {
  for (int n : {2, 3, 5, 9}) {
    const std::vector<double> sample =
        SampleNth(OptionsOf(Jitter::kDecorrelated), n);
    EXPECT_LT(ShareIn(sample, 990, 1001), 0.02) << n;
    EXPECT_EQ(ShareIn(sample, 1000, 1001), 0) << n;
    EXPECT_EQ(ShareIn(sample, 100, 1000), 1) << n;
  }
}

// E[next | prev] = (B + 2 * M * prev) / 2 = M * prev + B / 2, so the mean m
// follows m' = M * m + B / 2 as long as the cap is far.
TEST(DecorrelatedTest, TheMeanGrowsByTheMultiplier) {
  for (double multiplier : {1.5, 2.0, 3.0}) {
    BackoffOptions options = OptionsOf(Jitter::kDecorrelated);
    options.multiplier = multiplier;
    options.max_backoff = absl::Hours(1000);
    double previous = 100;
    for (int n = 1; n <= 3; ++n) {
      const double mean = Mean(SampleNth(options, n));
      EXPECT_NEAR(mean, multiplier * previous + 50, 0.03 * mean) << n;
      previous = mean;
    }
  }
}

}  // namespace
}  // namespace retrykit
