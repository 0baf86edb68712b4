// Where the delay of a retry comes from: the server's word or the backoff.
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/reason.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/verdict.h"
#include "tests/support/row_name.h"
#include "tests/support/seeded_random.h"

namespace retrykit {
namespace {

const Instant kNow = Instant::FromNanos(1'000'000'000'000);
constexpr absl::Duration kTick = absl::Nanoseconds(1);

struct Scene {
  Scene() {
    input.outcome.code = absl::StatusCode::kAborted;
    input.now = kNow;
    rules.max_attempts = 10;
    rules.retryable = {absl::StatusCode::kAborted};
    rules.backoff.initial_backoff = absl::Milliseconds(20);
    rules.backoff.max_backoff = absl::Milliseconds(200);
    rules.backoff.multiplier = 2;
    rules.backoff.jitter = Jitter::kNone;
  }

  Verdict Judge(double fraction = 0.5) {
    ScriptedRandom random({fraction});
    return retrykit::Judge(input, rules, backoff, nullptr, nullptr, random);
  }

  VerdictInput input;
  RetryRules rules;
  Backoff backoff;
};

TEST(VerdictDelayTest, A13_PushbackExactlyAndThenTheBackoffFromTheBeginning) {
  Scene scene;
  EXPECT_EQ(scene.Judge().delay, absl::Milliseconds(20));
  EXPECT_EQ(scene.Judge().delay, absl::Milliseconds(40));

  scene.input.outcome.pushback = Pushback::Wait(absl::Milliseconds(200));
  const Verdict pushed = scene.Judge();
  EXPECT_TRUE(pushed.retry);
  EXPECT_EQ(pushed.delay, absl::Milliseconds(200));
  EXPECT_EQ(pushed.source, DelaySource::kPushback);

  scene.input.outcome.pushback = Pushback();
  EXPECT_EQ(scene.Judge().delay, absl::Milliseconds(20));
}

TEST(VerdictDelayTest, A15_PushbackZeroIsAtOnce) {
  Scene scene;
  scene.input.outcome.pushback = Pushback::Wait(absl::ZeroDuration());
  EXPECT_TRUE(scene.Judge().retry);
  EXPECT_EQ(scene.Judge().delay, absl::ZeroDuration());
}

TEST(VerdictDelayTest, A14_PushbackThatSaysNoEndsTheCall) {
  Scene scene;
  scene.input.outcome.pushback = Pushback::Stop();
  scene.input.outcome.retry_info = absl::Milliseconds(10);
  EXPECT_EQ(scene.Judge().reason, Reason::kPushback);
}

TEST(VerdictDelayTest, A17_RetryInfoIsRoundedUpAndSpread) {
  Scene scene;
  scene.input.outcome.retry_info =
      absl::Milliseconds(150) + absl::Nanoseconds(100);
  const Verdict lowest = scene.Judge(0);
  EXPECT_TRUE(lowest.retry);
  EXPECT_EQ(lowest.source, DelaySource::kRetryInfo);
  EXPECT_EQ(lowest.delay, absl::Milliseconds(151));
  EXPECT_EQ(scene.Judge(0.5).delay, 1.1 * absl::Milliseconds(151));
  const Verdict highest = scene.Judge(1);
  EXPECT_GT(highest.delay, 1.1999 * absl::Milliseconds(151));
  EXPECT_LE(highest.delay, 1.2 * absl::Milliseconds(151));
}

TEST(VerdictDelayTest, A17_WholeMillisecondsAreNotRoundedUp) {
  Scene scene;
  scene.input.outcome.retry_info = absl::Milliseconds(150);
  EXPECT_EQ(scene.Judge(0).delay, absl::Milliseconds(150));
  scene.input.outcome.retry_info = kTick;
  EXPECT_EQ(scene.Judge(0).delay, absl::Milliseconds(1));
}

TEST(VerdictDelayTest, A17_ZeroOrNegativeRetryInfoIsIgnored) {
  for (absl::Duration told : {absl::ZeroDuration(), -absl::Seconds(1)}) {
    Scene scene;
    scene.input.outcome.retry_info = told;
    EXPECT_EQ(scene.Judge().source, DelaySource::kBackoff);
    EXPECT_EQ(scene.Judge().delay, absl::Milliseconds(40));
  }
}

TEST(VerdictDelayTest, A17_RetryInfoResetsTheBackoffAsPushbackDoes) {
  Scene scene;
  scene.Judge();
  scene.Judge();
  scene.input.outcome.retry_info = absl::Milliseconds(5);
  scene.Judge();
  scene.input.outcome.retry_info.reset();
  EXPECT_EQ(scene.Judge().delay, absl::Milliseconds(20));
}

TEST(VerdictDelayTest, A17_PushbackBeatsRetryInfo) {
  Scene scene;
  scene.input.outcome.pushback = Pushback::Wait(absl::Milliseconds(7));
  scene.input.outcome.retry_info = absl::Hours(24 * 365);
  EXPECT_EQ(scene.Judge().source, DelaySource::kPushback);
  EXPECT_EQ(scene.Judge().delay, absl::Milliseconds(7));
}

TEST(VerdictDelayTest, A17_AYearEndsTheCall) {
  Scene scene;
  scene.input.outcome.retry_info = absl::Hours(24 * 365);
  EXPECT_EQ(scene.Judge().reason, Reason::kPushback);
}

struct LimitRow {
  std::string name;
  bool pushback;
  absl::Duration told;
  bool retry;
};

class ServerDelayLimitTest : public testing::TestWithParam<LimitRow> {};

TEST_P(ServerDelayLimitTest, AboveItTheCallEnds) {
  Scene scene;
  if (GetParam().pushback) {
    scene.input.outcome.pushback = Pushback::Wait(GetParam().told);
  } else {
    scene.input.outcome.retry_info = GetParam().told;
  }
  EXPECT_EQ(scene.Judge().retry, GetParam().retry);
  EXPECT_EQ(scene.Judge().reason,
            GetParam().retry ? Reason::kNone : Reason::kPushback);
}

INSTANTIATE_TEST_SUITE_P(
    Limits, ServerDelayLimitTest,
    testing::Values(
        LimitRow{"PushbackAtTheLimit", true, absl::Seconds(60), true},
        LimitRow{"PushbackATickAbove", true, absl::Seconds(60) + kTick, false},
        LimitRow{"RetryInfoAtTheLimit", false, absl::Seconds(60), true},
        LimitRow{"RetryInfoATickAbove", false, absl::Seconds(60) + kTick,
                 false},
        LimitRow{"PushbackBeyondAllTime", true, absl::InfiniteDuration(),
                 false}),
    RowName());

TEST(VerdictDelayTest, A18_PushbackLongerThanTheTimeLeftEndsAtOnce) {
  Scene scene;
  scene.input.outcome.pushback = Pushback::Wait(absl::Milliseconds(200));
  scene.input.deadline = kNow + absl::Milliseconds(201);
  EXPECT_TRUE(scene.Judge().retry);
  scene.input.deadline = kNow + absl::Milliseconds(201) - kTick;
  EXPECT_EQ(scene.Judge().reason, Reason::kDeadline);
}

TEST(VerdictDelayTest, TheSpreadOfRetryInfoMustFitToo) {
  Scene scene;
  scene.input.outcome.retry_info = absl::Milliseconds(100);
  scene.input.deadline = kNow + absl::Milliseconds(111);
  EXPECT_TRUE(scene.Judge(0.5).retry);
  scene.input.deadline = kNow + absl::Milliseconds(111) - kTick;
  EXPECT_EQ(scene.Judge(0.5).reason, Reason::kDeadline);
}

}  // namespace
}  // namespace retrykit
