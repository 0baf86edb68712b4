#include "interceptors/adapter/call_scope.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "interceptors/adapter/call_scope_state.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"
#include "interceptors/engine/events.h"

namespace retrykit {
namespace {

TEST(CallScopeTableTest, TheFirstCallTakesTheScopeAndTheSecondFindsNone) {
  grpc::ClientContext context;
  CallScope scope(context);
  EXPECT_NE(CallScopeTable::Take(&context), nullptr);
  EXPECT_EQ(CallScopeTable::Take(&context), nullptr);
}

TEST(CallScopeTableTest, OtherContextsHaveNone) {
  grpc::ClientContext context, other;
  CallScope scope(context);
  EXPECT_EQ(CallScopeTable::Take(&other), nullptr);
}

TEST(CallScopeTableTest, AReusedAddressNeverInherits) {
  absl::optional<grpc::ClientContext> context;
  for (int i = 0; i < 3; ++i) {
    context.emplace();
    // Of a call that never was...
    { CallScope unused(*context); }
    EXPECT_EQ(CallScopeTable::Take(&*context), nullptr);
    // ...and of one that was.
    CallScope used(*context);
    EXPECT_NE(CallScopeTable::Take(&*context), nullptr);
    context.emplace();
    EXPECT_EQ(CallScopeTable::Take(&*context), nullptr);
  }
}

TEST(CallScopeTableTest, TheLaterScopeOfAContextWins) {
  grpc::ClientContext context;
  absl::optional<CallScope> first(absl::in_place, context);
  CallScope second(context);
  second.set_max_attempts(7);
  // The first one's end does not take the second one's place away.
  first.reset();
  const auto taken = CallScopeTable::Take(&context);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->overrides.max_attempts, 7);
}

TEST(CallScopeTableTest, AnOldScopeDoesNotRemoveItsSuccessor) {
  grpc::ClientContext context;
  absl::optional<CallScope> taken(absl::in_place, context);
  CallScopeTable::Take(&context);
  CallScope next(context);
  taken.reset();
  EXPECT_NE(CallScopeTable::Take(&context), nullptr);
}

TEST(CallScopeTableTest, ThreadsDoNotMeetInIt) {
  std::atomic<int> lost{0}, inherited{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, own = i + 1] {
      for (int round = 0; round < 1000; ++round) {
        grpc::ClientContext context;
        CallScope scope(context);
        scope.set_max_attempts(own);
        const auto taken = CallScopeTable::Take(&context);
        lost += taken == nullptr || taken->overrides.max_attempts != own;
        inherited += CallScopeTable::Take(&context) != nullptr;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(inherited, 0);
}

TEST(CallScopeTest, OverridesReachTheCall) {
  grpc::ClientContext context;
  CallScope scope(context);
  scope.set_max_attempts(-3);
  scope.set_timeout(absl::Seconds(2));
  scope.set_per_attempt_timeout(absl::Milliseconds(30));
  scope.set_idempotency_key("key");
  const auto taken = CallScopeTable::Take(&context);
  EXPECT_EQ(taken->overrides.max_attempts, 1);
  EXPECT_EQ(taken->overrides.timeout, absl::Seconds(2));
  EXPECT_EQ(taken->overrides.per_attempt_timeout, absl::Milliseconds(30));
  EXPECT_EQ(taken->overrides.idempotency_key, "key");
}

struct DrivingRow {
  const char* what;
  void (*change)(CallScope&);
  bool drives;
};

TEST(CallScopeTest, NeedsAttemptsOfOurOwnOnlyForWhatTakesSome) {
  const DrivingRow rows[] = {
      {"nothing", [](CallScope&) {}, false},
      {"no retries", [](CallScope& s) { s.set_no_retries(); }, false},
      {"a key", [](CallScope& s) { s.set_idempotency_key("k"); }, false},
      {"attempts", [](CallScope& s) { s.set_max_attempts(2); }, true},
      {"a timeout", [](CallScope& s) { s.set_timeout(absl::Seconds(1)); },
       true},
      {"a predicate",
       [](CallScope& s) {
         s.set_retry_predicate(
             [](const grpc::Status&, const TrailingMetadata&) {
               return absl::make_optional(true);
             });
       },
       true},
  };
  for (const DrivingRow& row : rows) {
    grpc::ClientContext context;
    CallScope scope(context);
    row.change(scope);
    EXPECT_EQ(CallScopeTable::Take(&context)->overrides.needs_driving(),
              row.drives)
        << row.what;
  }
}

CallEvent Started(int attempt, absl::Duration delay, DelaySource source) {
  CallEvent event;
  event.type = CallEvent::Type::kAttemptStarted;
  event.attempt = attempt;
  event.attempt_kind = attempt == 1 ? AttemptKind::kFirst : AttemptKind::kRetry;
  event.delay = delay;
  event.delay_source = source;
  event.since_start = absl::Milliseconds(100 * (attempt - 1));
  return event;
}

CallEvent Ended(int attempt) {
  CallEvent event;
  event.type = CallEvent::Type::kAttemptEnded;
  event.attempt = attempt;
  event.duration = absl::Milliseconds(3);
  event.peer = "ipv4:127.0.0.1:1";
  return event;
}

TEST(CallReportTest, HoldsEveryAttempt) {
  const grpc::Status aborted(grpc::StatusCode::ABORTED, "boom");
  CallScopeState state;
  state.Note(Started(1, absl::ZeroDuration(), DelaySource::kNone), {});
  state.Note(Ended(1), aborted);
  state.Note(Started(2, absl::Milliseconds(97), DelaySource::kPushback), {});
  EXPECT_FALSE(state.report().complete);
  state.Note(Ended(2), grpc::Status::OK);
  state.Complete(grpc::Status::OK, Reason::kSuccess, absl::Milliseconds(103));

  const CallReport report = state.report();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.reason, Reason::kSuccess);
  EXPECT_EQ(report.duration, absl::Milliseconds(103));
  ASSERT_EQ(report.attempts.size(), 2u);
  EXPECT_EQ(report.attempts[0].number, 1);
  EXPECT_EQ(report.attempts[0].status.error_message(), "boom");
  EXPECT_EQ(report.attempts[0].peer, "ipv4:127.0.0.1:1");
  EXPECT_EQ(report.attempts[0].duration, absl::Milliseconds(3));
  EXPECT_EQ(report.attempts[1].kind, AttemptKind::kRetry);
  EXPECT_EQ(report.attempts[1].start, absl::Milliseconds(100));
  EXPECT_EQ(report.attempts[1].delay, absl::Milliseconds(97));
  EXPECT_EQ(report.attempts[1].delay_source, DelaySource::kPushback);
}

TEST(CallReportTest, IsReadWhileTheCallWrites) {
  grpc::ClientContext context;
  CallScope scope(context);
  const auto state = CallScopeTable::Take(&context);
  std::thread call([&] {
    for (int attempt = 1; attempt <= 200; ++attempt) {
      state->Note(Started(attempt, {}, DelaySource::kNone), {});
      state->Note(Ended(attempt), grpc::Status::OK);
    }
    state->Complete(grpc::Status::OK, Reason::kSuccess, {});
  });
  size_t last = 0;
  while (!scope.report().complete) {
    const size_t attempts = scope.report().attempts.size();
    EXPECT_GE(attempts, last);
    last = attempts;
  }
  call.join();
  EXPECT_EQ(scope.report().attempts.size(), 200u);
}

TEST(CallReportTest, OutlivesContextAndScope) {
  std::shared_ptr<CallScopeState> state;
  {
    grpc::ClientContext context;
    CallScope scope(context);
    state = CallScopeTable::Take(&context);
  }
  state->Complete(grpc::Status::OK, Reason::kSuccess, absl::Seconds(1));
  EXPECT_TRUE(state->report().complete);
}

}  // namespace
}  // namespace retrykit
