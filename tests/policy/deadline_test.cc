#include "interceptors/policy/deadline.h"

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"
#include "tests/support/row_name.h"

namespace retrykit {
namespace {

constexpr absl::StatusCode kLate = absl::StatusCode::kDeadlineExceeded;
constexpr absl::Duration kTick = absl::Nanoseconds(1);
constexpr absl::Duration kInfinite = absl::InfiniteDuration();
const Instant kStart = Instant::FromNanos(1'000'000'000'000);

// `overall` counts from the start, too.
AttemptLimits Limits(absl::Duration overall, absl::Duration per_attempt) {
  AttemptLimits limits;
  limits.start = kStart;
  limits.overall = kStart + overall;
  limits.per_attempt = per_attempt;
  return limits;
}

struct LimitRow {
  std::string name;
  absl::Duration overall;
  absl::Duration per_attempt;
  absl::Duration deadline;
  bool own;
};

class AttemptLimitsTest : public testing::TestWithParam<LimitRow> {};

TEST_P(AttemptLimitsTest, TheEarlierOneIsTheLimit) {
  const LimitRow& row = GetParam();
  const AttemptLimits limits = Limits(row.overall, row.per_attempt);
  EXPECT_EQ(limits.deadline(), kStart + row.deadline);
  EXPECT_EQ(limits.own_timeout_is_limit(), row.own);
}

INSTANTIATE_TEST_SUITE_P(
    Limits, AttemptLimitsTest,
    testing::Values(LimitRow{"Neither", kInfinite, kInfinite, kInfinite, false},
                    LimitRow{"OwnAlone", kInfinite, absl::Seconds(1),
                             absl::Seconds(1), true},
                    LimitRow{"OverallAlone", absl::Seconds(1), kInfinite,
                             absl::Seconds(1), false},
                    LimitRow{"OwnEarlierByATick", absl::Seconds(1),
                             absl::Seconds(1) - kTick, absl::Seconds(1) - kTick,
                             true},
                    LimitRow{"BothAtOnceIsTheOverallOne", absl::Seconds(1),
                             absl::Seconds(1), absl::Seconds(1), false},
                    LimitRow{"OverallInThePast", absl::Seconds(-1),
                             absl::Seconds(1), absl::Seconds(-1), false},
                    LimitRow{"OwnBeyondAllTime", kInfinite,
                             absl::Hours(24 * 365 * 1000), kInfinite, true}),
    RowName());

struct ToleranceRow {
  std::string name;
  absl::Duration limit;
  absl::Duration from;  // The first time that counts as the limit's end.
};

const ToleranceRow kTolerances[] = {
    {"FivePercentOfASecond", absl::Seconds(1), absl::Milliseconds(950)},
    {"FivePercentIsFiveMilliseconds", absl::Milliseconds(100),
     absl::Milliseconds(95)},
    {"AtLeastFiveMilliseconds", absl::Milliseconds(20), absl::Milliseconds(15)},
    {"AllOfFiveMilliseconds", absl::Milliseconds(5), absl::ZeroDuration()},
};

class ToleranceTest : public testing::TestWithParam<ToleranceRow> {};

TEST_P(ToleranceTest, OwnTimeoutFromThereOnNotATickEarlier) {
  const AttemptLimits limits = Limits(kInfinite, GetParam().limit);
  const Instant from = kStart + GetParam().from;
  EXPECT_FALSE(EndedByOwnTimeout(limits, kLate, from - kTick));
  EXPECT_TRUE(EndedByOwnTimeout(limits, kLate, from));
  EXPECT_TRUE(EndedByOwnTimeout(limits, kLate, from + absl::Hours(1)));
}

TEST_P(ToleranceTest, OverallDeadlineFromThereOnNotATickEarlier) {
  const AttemptLimits limits = Limits(GetParam().limit, kInfinite);
  const Instant from = kStart + GetParam().from;
  EXPECT_FALSE(EndedByOverallDeadline(limits, kLate, from - kTick));
  EXPECT_TRUE(EndedByOverallDeadline(limits, kLate, from));
}

INSTANTIATE_TEST_SUITE_P(Tolerances, ToleranceTest,
                         testing::ValuesIn(kTolerances), RowName());

TEST(EndedByOwnTimeoutTest, OnlyDeadlineExceededDoes) {
  const AttemptLimits limits = Limits(kInfinite, absl::Seconds(1));
  const Instant end = kStart + absl::Seconds(1);
  EXPECT_FALSE(EndedByOwnTimeout(limits, absl::StatusCode::kUnavailable, end));
  EXPECT_FALSE(EndedByOwnTimeout(limits, absl::StatusCode::kCancelled, end));
  EXPECT_FALSE(EndedByOwnTimeout(limits, absl::StatusCode::kOk, end));
}

TEST(EndedByOwnTimeoutTest, NotWhenTheOverallDeadlineIsTheLimit) {
  const AttemptLimits limits = Limits(absl::Seconds(1), absl::Seconds(1));
  EXPECT_FALSE(EndedByOwnTimeout(limits, kLate, kStart + absl::Seconds(1)));
}

TEST(EndedByOwnTimeoutTest, NotWithoutATimeout) {
  EXPECT_FALSE(EndedByOwnTimeout(Limits(kInfinite, kInfinite), kLate,
                                 kStart + absl::Hours(1)));
}

TEST(EndedByOverallDeadlineTest, AnyCodeOnceItHasPassed) {
  const AttemptLimits limits = Limits(absl::Seconds(1), absl::Milliseconds(10));
  const Instant end = kStart + absl::Seconds(1);
  for (absl::StatusCode code : {kLate, absl::StatusCode::kUnavailable}) {
    EXPECT_TRUE(EndedByOverallDeadline(limits, code, end));
  }
  EXPECT_FALSE(EndedByOverallDeadline(limits, absl::StatusCode::kUnavailable,
                                      end - kTick));
}

TEST(EndedByOverallDeadlineTest, TheToleranceIsNotForTheOwnTimeout) {
  const AttemptLimits limits =
      Limits(absl::Seconds(1), absl::Milliseconds(999));
  EXPECT_FALSE(
      EndedByOverallDeadline(limits, kLate, kStart + absl::Milliseconds(999)));
}

TEST(EndedByOverallDeadlineTest, NeverWithoutOne) {
  EXPECT_FALSE(EndedByOverallDeadline(Limits(kInfinite, kInfinite), kLate,
                                      kStart + absl::Hours(1)));
}

TEST(EndedByOverallDeadlineTest, AnEarlierNowThanTheStartEndsNothing) {
  EXPECT_FALSE(EndedByOverallDeadline(Limits(absl::Seconds(1), kInfinite),
                                      kLate, kStart - absl::Hours(1)));
  EXPECT_FALSE(EndedByOwnTimeout(Limits(kInfinite, absl::Seconds(1)), kLate,
                                 kStart - absl::Hours(1)));
}

TEST(CutShortByCallTest, D13_OneMillisecondSaysNothingAboutAServer) {
  EXPECT_TRUE(CutShortByCall(Limits(absl::Milliseconds(1), kInfinite), kLate,
                             kStart + absl::Milliseconds(1)));
}

TEST(CutShortByCallTest, D13_WithoutATimeoutPatienceEndsAtAHundredMillis) {
  const absl::Duration patience = absl::Milliseconds(100);
  EXPECT_TRUE(CutShortByCall(Limits(patience - kTick, kInfinite), kLate,
                             kStart + patience - kTick));
  EXPECT_FALSE(
      CutShortByCall(Limits(patience, kInfinite), kLate, kStart + patience));
}

TEST(CutShortByCallTest, D13_WithATimeoutThatIsThePatience) {
  const absl::Duration timeout = absl::Seconds(1);
  EXPECT_TRUE(CutShortByCall(Limits(timeout - kTick, timeout), kLate,
                             kStart + timeout - kTick));
  EXPECT_FALSE(
      CutShortByCall(Limits(timeout, timeout), kLate, kStart + timeout));
  // Ended by its own timeout: that is the server's doing.
  EXPECT_FALSE(
      CutShortByCall(Limits(kInfinite, timeout), kLate, kStart + timeout));
}

TEST(CutShortByCallTest, D13_AServersOwnDeadlineExceededCounts) {
  EXPECT_FALSE(CutShortByCall(Limits(absl::Seconds(10), kInfinite), kLate,
                              kStart + absl::Milliseconds(2)));
}

TEST(CutShortByCallTest, D13_OtherCodesCount) {
  EXPECT_FALSE(CutShortByCall(Limits(absl::Milliseconds(1), kInfinite),
                              absl::StatusCode::kUnavailable,
                              kStart + absl::Milliseconds(1)));
}

}  // namespace
}  // namespace retrykit
