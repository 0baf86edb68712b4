#include "interceptors/telemetry/log_observer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"
#include "interceptors/engine/events.h"

namespace retrykit {
namespace {

using Type = CallEvent::Type;

CallEvent EventOf(Type type) {
  CallEvent event;
  event.type = type;
  event.call = 7;
  event.target = "dns:///payments";
  event.method = "/payments.v1.Payments/Charge";
  event.entry = "/payments.v1.Payments/";
  return event;
}

constexpr char kCall[] =
    " call=7 target=dns:///payments method=/payments.v1.Payments/Charge";

TEST(LogLineTest, ASuccessAtTheFirstAttemptSaysNothing) {
  EXPECT_EQ(LogLine(EventOf(Type::kCallStarted)), "");
  EXPECT_EQ(LogLine(EventOf(Type::kAttemptStarted)), "");
  EXPECT_EQ(LogLine(EventOf(Type::kAttemptEnded)), "");
  EXPECT_EQ(LogLine(EventOf(Type::kCallCommitted)), "");
  CallEvent ended = EventOf(Type::kCallEnded);
  ended.attempt = 1;
  EXPECT_EQ(LogLine(ended), "");
}

TEST(LogLineTest, ASuccessAtTheSecondAttemptSaysSo) {
  CallEvent ended = EventOf(Type::kCallEnded);
  ended.attempt = 2;
  ended.reason = Reason::kSuccess;
  ended.duration = absl::Milliseconds(75);
  EXPECT_EQ(LogLine(ended), std::string("retrykit event=call_ended") + kCall +
                                " attempts=2 reason=success code=OK"
                                " duration=75ms");
}

TEST(LogLineTest, AScheduledRetryNamesItsDelayAndWhereThatCameFrom) {
  CallEvent event = EventOf(Type::kRetryScheduled);
  event.attempt = 2;
  event.attempt_kind = AttemptKind::kRetry;
  event.delay = absl::Milliseconds(50);
  event.delay_source = DelaySource::kBackoff;
  EXPECT_EQ(LogLine(event), std::string("retrykit event=retry_scheduled") +
                                kCall +
                                " attempt=2 kind=retry delay=50ms"
                                " source=backoff");
}

TEST(LogLineTest, ValuesThatCouldBreakTheLineAreQuoted) {
  CallEvent event = EventOf(Type::kAttemptEnded);
  event.attempt = 1;
  event.code = absl::StatusCode::kAborted;
  event.message = "no \"luck\"\nhere";
  event.peer = "ipv4:127.0.0.1:1";
  event.duration = absl::Microseconds(1500);
  EXPECT_EQ(LogLine(event),
            std::string("retrykit event=attempt_ended") + kCall +
                R"( attempt=1 kind=first code=ABORTED)"
                R"( message="no \"luck\"\nhere" peer=ipv4:127.0.0.1:1)"
                R"( duration=1.5ms)");
}

TEST(LogLineTest, ASuppressedRetryNamesItsReason) {
  CallEvent event = EventOf(Type::kRetrySuppressed);
  event.attempt = 1;
  event.reason = Reason::kBudget;
  EXPECT_EQ(LogLine(event), std::string("retrykit event=retry_suppressed") +
                                kCall + " attempt=1 reason=budget");
}

TEST(LogLineTest, ABreakersChangeNamesBothStates) {
  CallEvent event = EventOf(Type::kBreakerChanged);
  event.from = CircuitBreaker::State::kClosed;
  event.to = CircuitBreaker::State::kOpen;
  EXPECT_EQ(LogLine(event),
            std::string("retrykit event=breaker_changed") + kCall +
                " entry=/payments.v1.Payments/ from=closed to=open");
}

TEST(LogLineTest, AHedgeNamesItsDelay) {
  CallEvent event = EventOf(Type::kAttemptStarted);
  event.attempt = 2;
  event.attempt_kind = AttemptKind::kHedge;
  event.delay = absl::Milliseconds(50);
  event.delay_source = DelaySource::kHedging;
  EXPECT_EQ(LogLine(event), std::string("retrykit event=attempt_started") +
                                kCall +
                                " attempt=2 kind=hedge delay=50ms"
                                " source=hedging");
}

TEST(LogLineTest, AnAttemptThatWasGivenUpSaysWhy) {
  CallEvent event = EventOf(Type::kAttemptEnded);
  event.attempt = 1;
  event.code = absl::StatusCode::kCancelled;
  event.reason = Reason::kLost;
  event.duration = absl::Milliseconds(60);
  EXPECT_EQ(LogLine(event), std::string("retrykit event=attempt_ended") +
                                kCall +
                                " attempt=1 kind=first code=CANCELLED"
                                " reason=lost duration=60ms");
}

TEST(LogLineTest, AMethodThatCannotBeHedgedNamesItsEntry) {
  CallEvent event = EventOf(Type::kNotHedgeable);
  event.call = 0;
  event.reason = Reason::kNotHedgeable;
  EXPECT_EQ(LogLine(event),
            "retrykit event=not_hedgeable target=dns:///payments"
            " method=/payments.v1.Payments/Charge"
            " entry=/payments.v1.Payments/ reason=not_hedgeable");
}

TEST(LogLineTest, AHedgeThatIsOnlyReportedSaysWhen) {
  CallEvent event = EventOf(Type::kHedgeWouldStart);
  event.since_start = absl::Milliseconds(50);
  EXPECT_EQ(LogLine(event), std::string("retrykit event=hedge_would_start") +
                                kCall + " since_start=50ms");
}

TEST(LogLineTest, WhatIsOnlyReportedShowsTheNumbersBehindIt) {
  CallEvent event = EventOf(Type::kBudgetWouldRefuse);
  event.budget_milli_tokens = 4500;
  event.budget_max_milli_tokens = 10000;
  EXPECT_EQ(LogLine(event), std::string("retrykit event=budget_would_refuse") +
                                kCall + " tokens=4.5 max_tokens=10");
  EXPECT_EQ(LogLine(EventOf(Type::kBreakerWouldRefuse)),
            std::string("retrykit event=breaker_would_refuse") + kCall +
                " entry=/payments.v1.Payments/");
}

TEST(LogLineTest, AReloadBelongsToNoCall) {
  CallEvent event;
  event.type = Type::kConfigReloaded;
  EXPECT_EQ(LogLine(event), "retrykit event=config_reloaded code=OK");
}

TEST(LogObserverTest, GivesTheSinkTheLinesThatSaySomething) {
  std::vector<std::string> lines;
  const auto observer = MakeLogObserver(
      [&lines](absl::string_view line) { lines.emplace_back(line); });
  observer->OnEvent(EventOf(Type::kCallStarted));
  CallEvent event;
  event.type = Type::kConfigReloaded;
  observer->OnEvent(event);
  EXPECT_EQ(lines, std::vector<std::string>(
                       {"retrykit event=config_reloaded code=OK"}));
}

}  // namespace
}  // namespace retrykit
