// What observers are told: which events, in what order, with what in them.
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/engine/events.h"
#include "tests/engine/engine_story.h"

namespace retrykit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CallEventsTest, OfARetriedCall) {
  EngineStory story;
  story.Start();
  EXPECT_THAT(story.Told(),
              ElementsAre("call_started", "attempt_started 1 first"));
  story.Pass(absl::Milliseconds(3));
  story.End(1, Failed());
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_ended 1 first ABORTED took 3ms",
                          "retry_scheduled 2 retry after 20ms backoff"));
  story.Pass(absl::Milliseconds(20));
  story.Fire(1);
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_started 2 retry after 20ms backoff"));
  story.Pass(absl::Milliseconds(4));
  story.End(2, Succeeded());
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_ended 2 retry OK took 4ms",
                          "call_ended OK success attempts 2 took 27ms"));
}

TEST(CallEventsTest, OfAnImmediateRetryNameThePushback) {
  EngineStory story;
  story.Start();
  story.TakeEvents();
  story.End(1, PushedBack(absl::ZeroDuration()));
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_ended 1 first ABORTED",
                          "retry_scheduled 2 retry after 0 pushback",
                          "attempt_started 2 retry after 0 pushback"));
}

TEST(CallEventsTest, OfACommit) {
  EngineStory story;
  story.Start();
  story.TakeEvents();
  story.Headers(1);
  story.End(1, Failed());
  EXPECT_THAT(story.Told(),
              ElementsAre("call_committed 1", "attempt_ended 1 first ABORTED",
                          "retry_suppressed 1 committed",
                          "call_ended ABORTED committed attempts 1"));
}

TEST(CallEventsTest, AFailureThatWouldNotBeRetriedIsNotSuppressed) {
  EngineStory story;
  story.Start();
  story.TakeEvents();
  story.End(1, Failed(absl::StatusCode::kNotFound));
  EXPECT_THAT(story.Told(),
              ElementsAre("attempt_ended 1 first NOT_FOUND",
                          "call_ended NOT_FOUND not_retryable attempts 1"));
}

TEST(CallEventsTest, ABackoffThatEndedTooLateIsASuppressedRetry) {
  EngineStory story;
  story.EndBy(absl::Milliseconds(30));
  story.Start();
  story.End(1, Failed());
  story.Pass(absl::Milliseconds(30));
  story.TakeEvents();
  story.Fire(1);
  EXPECT_THAT(story.Told(),
              ElementsAre("retry_suppressed 1 deadline",
                          "call_ended ABORTED deadline attempts 1 took 30ms"));
}

TEST(CallEventsTest, SinceStartCountsFromTheStartOfTheCall) {
  EngineStory story;
  story.Start();
  story.Pass(absl::Milliseconds(3));
  story.End(1, Failed());
  for (const CallEvent& event : story.TakeEvents()) {
    EXPECT_EQ(event.since_start,
              event.type == CallEvent::Type::kCallStarted ||
                      event.type == CallEvent::Type::kAttemptStarted
                  ? absl::ZeroDuration()
                  : absl::Milliseconds(3));
  }
}

TEST(CallEventsTest, ACallCancelledBeforeItsStartBeganAllTheSame) {
  EngineStory story;
  story.Cancel();
  EXPECT_THAT(story.Told(),
              ElementsAre("call_started", "call_ended CANCELLED cancelled"));
}

TEST(CallEventsTest, NobodyListensNothingIsMade) {
  EngineStory story;
  story.setup.observed = false;
  story.UseBreaker(FragileBreaker());
  story.Start();
  story.End(1, Failed());
  EXPECT_THAT(story.Told(), IsEmpty());
}

// The clock is read before the driver's lock is taken: of two threads the one
// with the earlier reading may step second.
TEST(CallEventsTest, AnEarlierNowMadeDurationsNegative) {
  EngineStory story;
  story.Start();
  story.Pass(absl::Milliseconds(-5));
  EXPECT_THAT(story.End(1, PushedBack(absl::Milliseconds(10))),
              ElementsAre("ArmTimer 1 at 10ms"));
  story.Pass(absl::Milliseconds(-5));
  story.Fire(1);
  story.End(2, Succeeded());
  for (const CallEvent& event : story.TakeEvents()) {
    EXPECT_GE(event.since_start, absl::ZeroDuration());
    EXPECT_GE(event.duration, absl::ZeroDuration());
  }
}

TEST(CallEventsTest, EveryTypeHasANameOfItsOwn) {
  std::set<std::string> names;
  const int last = static_cast<int>(CallEvent::Type::kCallEnded);
  for (int type = 0; type <= last; ++type)
    names.emplace(CallEventTypeText(static_cast<CallEvent::Type>(type)));
  EXPECT_EQ(names.size(), static_cast<size_t>(last) + 1);
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_EQ(CallEventTypeText(static_cast<CallEvent::Type>(last + 1)),
            "unknown");
}

}  // namespace
}  // namespace retrykit
