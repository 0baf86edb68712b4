#include "interceptors/adapter/blocking_driver.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/reason.h"
#include "interceptors/engine/step.h"
#include "tests/adapter/async_call.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/seeded_random.h"
#include "tests/support/worker_threads.h"

namespace retrykit {
namespace {

using Ends = ScriptedAttempt::Ends;
using testing::ElementsAre;

struct BlockingCall {
  explicit BlockingCall(std::vector<ScriptedAttempt> script,
                        WorkerThreads* wire = nullptr,
                        absl::Duration backoff = absl::Microseconds(1))
      : rules(backoff),
        transport(std::move(script), wire),
        driver(rules.setup, MonotonicClock(), transport) {}

  CallRules rules;
  ScriptedTransport transport;
  BlockingDriver driver;
};

TEST(BlockingDriverTest, RetriesOnTheCallingThread) {
  WorkerThreads wire(2);
  BlockingCall call({{Aborted()}, {AtOnceAgain()}, {Ok()}}, &wire);
  const std::thread::id self = std::this_thread::get_id();
  call.transport.on_start = [&](const StartAttempt&) {
    EXPECT_EQ(std::this_thread::get_id(), self);
  };
  call.transport.on_finish = [&](const FinishCall&) {
    EXPECT_EQ(std::this_thread::get_id(), self);
  };
  call.driver.Run(CallStarted{});
  EXPECT_THAT(
      call.transport.DoneText(),
      ElementsAre("StartAttempt 1 first", "StartAttempt 2 retry previous 1",
                  "StartAttempt 3 retry previous 2",
                  "FinishCall attempt 3 OK success after 3"));
  EXPECT_EQ(call.transport.Broken(), "");
}

TEST(BlockingDriverTest, WaitsTheBackoffOut) {
  const absl::Duration backoff = absl::Milliseconds(5);
  BlockingCall call({{Aborted(), Ends::kAtOnce}, {Ok(), Ends::kAtOnce}},
                    nullptr, backoff);
  const Instant begin = MonotonicClock().Now();
  call.driver.Run(CallStarted{});
  EXPECT_GE(MonotonicClock().Now() - begin, backoff);
  EXPECT_EQ(call.transport.starts(), 2);
}

TEST(BlockingDriverTest, ACancelWakesTheBackoffAtOnce) {
  WorkerThreads application(1);
  BlockingCall call({{Aborted(), Ends::kAtOnce}}, nullptr, absl::Hours(1));
  call.transport.on_event = [&](const CallEvent& event) {
    if (event.type != CallEvent::Type::kRetryScheduled) return;
    application.Run([&] { call.driver.Cancel(); });
  };
  call.driver.Run(CallStarted{});
  application.Drain();
  EXPECT_THAT(call.transport.DoneText(),
              ElementsAre("StartAttempt 1 first",
                          "FinishCall CANCELLED cancelled after 1"));
}

TEST(BlockingDriverTest, ACancelBeforeTheBackoffBeginsEndsIt) {
  BlockingCall call({{Aborted(), Ends::kAtOnce}}, nullptr, absl::Hours(1));
  call.transport.on_event = [&](const CallEvent& event) {
    if (event.type == CallEvent::Type::kRetryScheduled) call.driver.Cancel();
  };
  call.driver.Run(CallStarted{});
  EXPECT_EQ(call.transport.WaitForFinish()->reason, Reason::kCancelled);
  EXPECT_EQ(call.transport.starts(), 1);
}

TEST(BlockingDriverTest, ACancelEndsAnAttemptThatHangs) {
  WorkerThreads wire(1);
  BlockingCall call({Hanging()}, &wire);
  call.transport.on_event = [&](const CallEvent& event) {
    if (event.type != CallEvent::Type::kAttemptStarted) return;
    wire.Run([&] { call.driver.Cancel(); });
  };
  call.driver.Run(CallStarted{});
  wire.Drain();
  EXPECT_EQ(call.transport.WaitForFinish()->code, absl::StatusCode::kCancelled);
  EXPECT_EQ(call.transport.WaitForFinish()->reason, Reason::kCancelled);
  EXPECT_EQ(call.transport.Broken(), "");
}

TEST(BlockingDriverTest, ACancelThatCouldNotReachTheAttemptYetEndsIt) {
  BlockingCall call({Hanging()});
  call.transport.on_start = [&](const StartAttempt&) { call.driver.Cancel(); };
  call.driver.Run(CallStarted{});
  EXPECT_EQ(call.transport.WaitForFinish()->reason, Reason::kCancelled);
  EXPECT_EQ(call.transport.cancels_of_live(), 2);
}

TEST(BlockingDriverTest, ACancelBeforeRunEndsTheFirstAttempt) {
  BlockingCall call({Hanging()});
  call.driver.Cancel();
  call.driver.Run(CallStarted{});
  EXPECT_EQ(call.transport.WaitForFinish()->reason, Reason::kCancelled);
}

TEST(BlockingDriverTest, ACancelAsTheFirstEventSendsNothing) {
  BlockingCall call({Hanging()});
  call.driver.Run(CallCancelled{});
  EXPECT_THAT(call.transport.DoneText(),
              ElementsAre("FinishCall CANCELLED cancelled after 0"));
}

TEST(BlockingDriverTest, ACancelAfterTheEndDoesNoHarm) {
  BlockingCall call({{Ok(), Ends::kAtOnce}});
  call.driver.Run(CallStarted{});
  call.driver.Cancel();
  EXPECT_THAT(call.transport.DoneText(),
              ElementsAre("StartAttempt 1 first",
                          "FinishCall attempt 1 OK success after 1"));
}

// The order of the verdict: success first, then the application's cancel.
TEST(BlockingDriverTest, ASuccessThatMetACancelWasLost) {
  BlockingCall call({{Ok(), Ends::kAtOnce}});
  call.transport.on_event = [&](const CallEvent& event) {
    if (event.type == CallEvent::Type::kAttemptStarted) call.driver.Cancel();
  };
  call.driver.Run(CallStarted{});
  EXPECT_THAT(call.transport.DoneText(),
              ElementsAre("StartAttempt 1 first",
                          "FinishCall attempt 1 OK success after 1"));
}

TEST(BlockingDriverTest, AFailureThatMetACancelIsNotRetried) {
  BlockingCall call({{AtOnceAgain(), Ends::kAtOnce}});
  call.transport.on_event = [&](const CallEvent& event) {
    if (event.type == CallEvent::Type::kAttemptStarted) call.driver.Cancel();
  };
  call.driver.Run(CallStarted{});
  EXPECT_EQ(call.transport.WaitForFinish()->reason, Reason::kCancelled);
  EXPECT_EQ(call.transport.starts(), 1);
}

TEST(BlockingDriverTest, AClockThatIsAheadShortensTheWaitAsItGoes) {
  CallRules rules(absl::Milliseconds(2));
  FakeClock clock;
  ScriptedTransport transport(
      {{Aborted(), Ends::kAtOnce}, {Ok(), Ends::kAtOnce}});
  BlockingDriver driver(rules.setup, clock, transport);
  WorkerThreads time(1);
  transport.on_event = [&](const CallEvent& event) {
    if (event.type != CallEvent::Type::kRetryScheduled) return;
    time.Run([&] { clock.Advance(absl::Milliseconds(2)); });
  };
  driver.Run(CallStarted{});
  EXPECT_EQ(transport.starts(), 2);
}

// 10,000 calls; some are cancelled while their attempts end and back off.
TEST(BlockingDriverTest, OneFinishHoweverCancelAndEndMeet) {
  SeededRandom random;
  WorkerThreads wire(2);
  WorkerThreads application(1);
  int cancelled = 0, succeeded = 0;
  for (int i = 0; i < 10'000 && !testing::Test::HasFailure(); ++i) {
    const bool cancels = i % 8 != 0;
    BlockingCall call(
        {{Aborted(), static_cast<Ends>(random() % 2)},
         {AtOnceAgain(), static_cast<Ends>(random() % 2)},
         cancels && random() % 4 == 0 ? Hanging() : ScriptedAttempt{Ok()}},
        &wire);
    if (cancels) {
      application.Run([&, spins = random() % 3000] {
        std::atomic<uint64_t> idle{0};
        while (idle.fetch_add(1) < spins) continue;
        call.driver.Cancel();
      });
    }
    call.driver.Run(CallStarted{});
    const absl::optional<FinishCall> finish = call.transport.WaitForFinish();
    application.Drain();
    wire.Drain();
    ASSERT_TRUE(finish);
    EXPECT_EQ(call.transport.Broken(), "");
    cancelled += finish->reason == Reason::kCancelled ? 1 : 0;
    succeeded += finish->reason == Reason::kSuccess ? 1 : 0;
  }
  EXPECT_EQ(cancelled + succeeded, 10'000);
  EXPECT_GT(cancelled, 0);
  EXPECT_GT(succeeded, 0);
}

}  // namespace
}  // namespace retrykit
