#include "interceptors/core/attempt_outcome.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace retrykit {
namespace {

TEST(PushbackTest, SaysNothingUnlessTold) {
  EXPECT_EQ(Pushback().kind, Pushback::Kind::kNone);
  EXPECT_EQ(AttemptOutcome().pushback.kind, Pushback::Kind::kNone);
}

TEST(PushbackTest, WaitKeepsTheDelayEvenZero) {
  EXPECT_EQ(Pushback::Wait(absl::Milliseconds(200)).kind,
            Pushback::Kind::kWait);
  EXPECT_EQ(Pushback::Wait(absl::Milliseconds(200)).delay,
            absl::Milliseconds(200));
  EXPECT_EQ(Pushback::Wait(absl::ZeroDuration()).kind, Pushback::Kind::kWait);
}

TEST(PushbackTest, StopIsNoDelay) {
  EXPECT_EQ(Pushback::Stop().kind, Pushback::Kind::kStop);
  EXPECT_EQ(Pushback::Stop().delay, absl::ZeroDuration());
}

TEST(AttemptOutcomeTest, TextsAreTheWordsOfTheMetrics) {
  EXPECT_STREQ(DelaySourceText(DelaySource::kNone), "none");
  EXPECT_STREQ(DelaySourceText(DelaySource::kBackoff), "backoff");
  EXPECT_STREQ(DelaySourceText(DelaySource::kPushback), "pushback");
  EXPECT_STREQ(DelaySourceText(DelaySource::kRetryInfo), "retry_info");
  EXPECT_STREQ(DelaySourceText(DelaySource::kHedging), "hedging");
  EXPECT_STREQ(AttemptKindText(AttemptKind::kFirst), "first");
  EXPECT_STREQ(AttemptKindText(AttemptKind::kRetry), "retry");
  EXPECT_STREQ(AttemptKindText(AttemptKind::kHedge), "hedge");
}

}  // namespace
}  // namespace retrykit
