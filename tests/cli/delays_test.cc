#include "cli/delays.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/seeded_random.h"
#include "cli/words.h"

namespace retrykit {
namespace cli {
namespace {

BackoffOptions Options(Jitter jitter, double multiplier = 2) {
  BackoffOptions options;
  options.initial_backoff = absl::Milliseconds(100);
  options.max_backoff = absl::Milliseconds(300);
  options.multiplier = multiplier;
  options.jitter = jitter;
  return options;
}

// "min median p95 max" of the retries, a line each.
std::string Table(const BackoffOptions& options, int retries = 3) {
  SeededRandom random(1);
  std::string table;
  for (const DelaySpread& delay : DelaysOf(options, retries, random)) {
    absl::StrAppend(&table, DurationWords(delay.least), " ",
                    DurationWords(delay.median), " ", DurationWords(delay.p95),
                    " ", DurationWords(delay.most), "\n");
  }
  return table;
}

TEST(DelaysTest, AreThoseOfTheJitter) {
  EXPECT_EQ(Table(Options(Jitter::kNone)),
            "100ms 100ms 100ms 100ms\n200ms 200ms 200ms 200ms\n"
            "300ms 300ms 300ms 300ms\n");
  EXPECT_EQ(Table(Options(Jitter::kFull)),
            "0 50ms 95ms 100ms\n0 100ms 190ms 200ms\n0 150ms 285ms 300ms\n");
  EXPECT_EQ(Table(Options(Jitter::kEqual)),
            "50ms 75ms 97.5ms 100ms\n100ms 150ms 195ms 200ms\n"
            "150ms 225ms 292.5ms 300ms\n");
  EXPECT_EQ(Table(Options(Jitter::kProportional)),
            "80ms 100ms 118ms 120ms\n160ms 200ms 236ms 240ms\n"
            "240ms 300ms 300ms 300ms\n");
}

TEST(DelaysTest, DecorrelatedOnesDependOnTheOneBefore) {
  SeededRandom random(1);
  const auto delays = DelaysOf(Options(Jitter::kDecorrelated, 1.2), 2, random);
  ASSERT_EQ(delays.size(), 2u);
  // uniform(100, 240), then uniform(100, min(300, 2.4 * previous)).
  EXPECT_EQ(delays[0].least, absl::Milliseconds(100));
  EXPECT_EQ(delays[0].most, absl::Milliseconds(240));
  EXPECT_NEAR(absl::ToDoubleMilliseconds(delays[0].median), 170, 3);
  EXPECT_NEAR(absl::ToDoubleMilliseconds(delays[0].p95), 233, 2);
  EXPECT_EQ(delays[1].least, absl::Milliseconds(100));
  EXPECT_EQ(delays[1].most, absl::Milliseconds(300));
  EXPECT_GT(delays[1].median, delays[0].median);
}

TEST(DelaysTest, AnIntervalThatIsAPointIsWidenedDownwards) {
  BackoffOptions options = Options(Jitter::kDecorrelated);
  options.max_backoff = options.initial_backoff;
  SeededRandom random(1);
  const auto delays = DelaysOf(options, 1, random);
  EXPECT_EQ(delays[0].least, absl::Milliseconds(80));
  EXPECT_EQ(delays[0].most, absl::Milliseconds(100));
  EXPECT_NEAR(absl::ToDoubleMilliseconds(delays[0].median), 90, 1);
}

TEST(WordsTest, RoundToWhatMatters) {
  EXPECT_EQ(DurationWords(absl::ZeroDuration()), "0");
  EXPECT_EQ(DurationWords(absl::Nanoseconds(1'234'567)), "1.2ms");
  EXPECT_EQ(DurationWords(absl::Nanoseconds(1'234'567'890)), "1.235s");
  EXPECT_EQ(DurationWords(absl::Nanoseconds(12'345'678'901)), "12.35s");
  EXPECT_EQ(DurationWords(absl::Seconds(90)), "1m30s");
  EXPECT_EQ(DurationWords(absl::Microseconds(7)), "7us");
  EXPECT_EQ(DurationWords(absl::InfiniteDuration()), "no limit");
  EXPECT_EQ(PercentWords(1.0 / 11), "9.1 %");
  EXPECT_EQ(Counted(1, "retry", "retries"), "1 retry");
  EXPECT_EQ(Counted(0, "retry", "retries"), "0 retries");
  EXPECT_EQ(CodeWords(StatusCodeSet()), "no code");
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
