#include "interceptors/core/instant.h"

#include <cstdint>
#include <limits>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace retrykit {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(InstantTest, CountsNanosecondsFromTheOrigin) {
  EXPECT_EQ(Instant().nanos(), 0);
  EXPECT_EQ((Instant() + absl::Seconds(2)).nanos(), 2'000'000'000);
  EXPECT_EQ((Instant::FromNanos(5) - absl::Nanoseconds(7)).nanos(), -2);
  EXPECT_EQ(Instant::FromNanos(7) - Instant::FromNanos(5),
            absl::Nanoseconds(2));
  EXPECT_EQ(Instant::FromNanos(5) - Instant::FromNanos(7),
            absl::Nanoseconds(-2));
}

TEST(InstantTest, IsOrdered) {
  const Instant early = Instant::FromNanos(1);
  const Instant late = Instant::FromNanos(2);
  EXPECT_TRUE(early < late && early <= late && late > early && late >= early);
  EXPECT_TRUE(early <= early && early >= early && early == early);
  EXPECT_TRUE(early != late);
  EXPECT_FALSE(early < early || early > early);
  EXPECT_LT(late, Instant::InfiniteFuture());
}

TEST(InstantTest, TheInfiniteFutureStaysWhereItIs) {
  const Instant never = Instant::InfiniteFuture();
  EXPECT_TRUE(never.is_infinite());
  EXPECT_TRUE((never + absl::Hours(1)).is_infinite());
  EXPECT_TRUE((never - absl::Hours(1)).is_infinite());
}

TEST(InstantTest, DifferencesWithTheInfiniteFutureAreInfinite) {
  const Instant never = Instant::InfiniteFuture();
  EXPECT_EQ(never - Instant(), absl::InfiniteDuration());
  EXPECT_EQ(Instant() - never, -absl::InfiniteDuration());
  EXPECT_EQ(never - never, absl::ZeroDuration());
}

TEST(InstantTest, AnInfiniteDurationLeadsToTheInfiniteFuture) {
  EXPECT_TRUE((Instant() + absl::InfiniteDuration()).is_infinite());
  EXPECT_TRUE((Instant::FromNanos(1) + absl::InfiniteDuration()).is_infinite());
}

TEST(InstantTest, SumsSaturateAtBothEnds) {
  EXPECT_EQ(Instant::FromNanos(kMax - 1) + absl::Nanoseconds(1),
            Instant::InfiniteFuture());
  EXPECT_EQ(Instant::FromNanos(kMax - 1) + absl::Hours(1),
            Instant::InfiniteFuture());
  EXPECT_EQ((Instant::FromNanos(kMin + 1) - absl::Hours(1)).nanos(), kMin);
  EXPECT_EQ((Instant::FromNanos(-10) - absl::InfiniteDuration()).nanos(), kMin);
}

TEST(InstantTest, DifferencesBeyondTheRangeOfAnInstantAreExact) {
  EXPECT_EQ(Instant::FromNanos(kMax - 1) - Instant::FromNanos(kMin),
            absl::Nanoseconds(kMax - 1) - absl::Nanoseconds(kMin));
}

}  // namespace
}  // namespace retrykit
