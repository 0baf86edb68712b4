#include "interceptors/adapter/async_driver.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/adapter/timer_heap.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/reason.h"
#include "interceptors/engine/step.h"
#include "tests/adapter/async_call.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/seeded_random.h"
#include "tests/support/worker_threads.h"

namespace retrykit {
namespace {

using Ends = ScriptedAttempt::Ends;
using testing::ElementsAre;

class AsyncDriverTest : public testing::Test {
 protected:
  ~AsyncDriverTest() override {
    EXPECT_EQ(timers_->live(), 0u);
    timers_->Stop();
  }

  std::shared_ptr<AsyncCall> Make(
      std::vector<ScriptedAttempt> script, WorkerThreads* wire = nullptr,
      absl::Duration backoff = absl::Microseconds(1)) {
    return std::make_shared<AsyncCall>(std::move(script), wire, *timers_,
                                       backoff);
  }

  const std::shared_ptr<TimerHeap> timers_ =
      std::make_shared<TimerHeap>(MonotonicClock());
};

TEST_F(AsyncDriverTest, RetriesOnTheThreadsThatCallBack) {
  WorkerThreads wire(2);
  const auto call = Make({{Aborted()}, {Aborted()}, {Ok()}}, &wire);
  call->Begin();
  ASSERT_TRUE(call->transport.WaitForFinish());
  EXPECT_THAT(
      call->transport.DoneText(),
      ElementsAre("StartAttempt 1 first", "StartAttempt 2 retry previous 1",
                  "StartAttempt 3 retry previous 2",
                  "FinishCall attempt 3 OK success after 3"));
  EXPECT_EQ(call->transport.Broken(), "");
}

TEST_F(AsyncDriverTest, APostFromInsideAnActionWaitsForItsEnd) {
  const auto call = Make({{AtOnceAgain(), Ends::kAtOnce},
                          {AtOnceAgain(), Ends::kAtOnce},
                          {Ok(), Ends::kAtOnce}});
  call->Begin();
  EXPECT_THAT(
      call->transport.DoneText(),
      ElementsAre("StartAttempt 1 first", "StartAttempt 2 retry previous 1",
                  "StartAttempt 3 retry previous 2",
                  "FinishCall attempt 3 OK success after 3"));
  EXPECT_EQ(call->transport.Broken(), "");
}

TEST_F(AsyncDriverTest, ACancelMeanwhileIsDoneAfterTheStartItCancels) {
  const auto call = Make({Hanging()});
  call->transport.on_start = [&](const StartAttempt&) {
    // Comes back though the start has not.
    std::thread([&] { call->Post(CallCancelled{}); }).join();
    EXPECT_THAT(call->transport.Done(), testing::IsEmpty());
  };
  call->Begin();
  EXPECT_THAT(call->transport.DoneText(),
              ElementsAre("StartAttempt 1 first", "CancelAttempt 1",
                          "FinishCall CANCELLED cancelled after 1"));
  EXPECT_EQ(call->transport.Broken(), "");
}

TEST_F(AsyncDriverTest, ACancelBeforeTheStartSendsNothing) {
  const auto call = Make({{Ok()}});
  call->Begin(CallCancelled{});
  call->Post(CallStarted{});
  EXPECT_THAT(call->transport.DoneText(),
              ElementsAre("FinishCall CANCELLED cancelled after 0"));
  EXPECT_EQ(call->transport.Broken(), "");
}

TEST_F(AsyncDriverTest, ACancelDuringTheBackoffDisarmsItsTimer) {
  const auto call = Make({{Aborted(), Ends::kAtOnce}}, nullptr, absl::Hours(1));
  call->Begin();
  EXPECT_EQ(timers_->live(), 1u);
  call->Post(CallCancelled{});
  EXPECT_EQ(timers_->live(), 0u);
  EXPECT_THAT(call->transport.DoneText(),
              ElementsAre("StartAttempt 1 first",
                          "FinishCall CANCELLED cancelled after 1"));
}

TEST_F(AsyncDriverTest, ATimerArmedWhileTheCallIsCancelledIsDisarmed) {
  const auto call = Make({{Aborted(), Ends::kAtOnce}}, nullptr, absl::Hours(1));
  call->transport.on_event = [&](const CallEvent& event) {
    if (event.type != CallEvent::Type::kRetryScheduled) return;
    std::thread([&] { call->Post(CallCancelled{}); }).join();
  };
  call->Begin();
  EXPECT_EQ(timers_->live(), 0u);
  EXPECT_EQ(call->transport.Broken(), "");
}

TEST_F(AsyncDriverTest, AnArmedTimerKeepsItsCallAliveAndADisarmedOneDoesNot) {
  auto call = Make({{Aborted(), Ends::kAtOnce}}, nullptr, absl::Hours(1));
  const std::weak_ptr<AsyncCall> watched = call;
  call->Begin();
  AsyncCall& alive = *call;
  call = nullptr;
  ASSERT_FALSE(watched.expired());
  alive.transport.on_finish = [&](const FinishCall&) { call = watched.lock(); };
  watched.lock()->Post(CallCancelled{});
  ASSERT_NE(call, nullptr);
  call = nullptr;
  EXPECT_TRUE(watched.expired());
}

TEST_F(AsyncDriverTest, TheApplicationMayDropTheCallWhenItFinishes) {
  WorkerThreads wire(1);
  auto call = Make({{Ok()}}, &wire);
  const std::weak_ptr<AsyncCall> watched = call;
  std::atomic<bool> finished{false};
  call->transport.on_finish = [&](const FinishCall&) {
    call = nullptr;
    finished = true;
  };
  watched.lock()->Begin();
  wire.Drain();
  EXPECT_TRUE(finished);
  EXPECT_TRUE(watched.expired());
}

// Many calls at once, each with everything that may race: ends from the wire,
// timers from the heap, a cancel from the application at any moment.
class RaceTest : public AsyncDriverTest {
 protected:
  static constexpr int kRounds = 100;
  static constexpr int kCallsPerRound = 100;

  struct Tally {
    int finished = 0;
    int cancelled = 0;
    int retried = 0;
  };

  std::vector<ScriptedAttempt> RandomScript(bool may_hang = true) {
    std::vector<ScriptedAttempt> script;
    for (int i = 0; i < 3; ++i) {
      const auto ends = static_cast<Ends>(random_() % 2);
      script.push_back({random_() % 4 == 0 ? AtOnceAgain() : Aborted(), ends});
    }
    const bool hangs = may_hang && random_() % 4 == 0;
    script.push_back(hangs ? Hanging() : ScriptedAttempt{Ok()});
    return script;
  }

  // Cancels after that many rounds of nothing.
  void CancelSoon(std::shared_ptr<AsyncCall> call, uint64_t spins) {
    application_.Run([call = std::move(call), spins] {
      std::atomic<uint64_t> idle{0};
      while (idle.fetch_add(1) < spins) continue;
      call->Post(CallCancelled{});
    });
  }

  void PlayRound(Tally& tally) {
    std::vector<std::shared_ptr<AsyncCall>> calls;
    for (int i = 0; i < kCallsPerRound; ++i) {
      const bool cancelled = i % 8 != 0;
      calls.push_back(Make(RandomScript(cancelled), &wire_));
      calls.back()->Prepare();
      application_.Run([call = calls.back()] { call->Post(CallStarted{}); });
      if (cancelled) CancelSoon(calls.back(), random_() % 3000);
    }
    for (const auto& call : calls) Check(*call, tally);
    application_.Drain();
    wire_.Drain();
    EXPECT_EQ(timers_->live(), 0u);
  }

  void Check(AsyncCall& call, Tally& tally) {
    const absl::optional<FinishCall> finish = call.transport.WaitForFinish();
    ASSERT_TRUE(finish);
    EXPECT_EQ(call.transport.Broken(), "");
    ++tally.finished;
    tally.cancelled += finish->reason == Reason::kCancelled ? 1 : 0;
    tally.retried += finish->attempts > 1 ? 1 : 0;
  }

  SeededRandom random_;
  WorkerThreads application_{2};
  WorkerThreads wire_{2};
};

TEST_F(RaceTest, OneFinishHoweverCancelEndAndTimerMeet) {
  Tally tally;
  for (int round = 0; round < kRounds && !HasFailure(); ++round)
    PlayRound(tally);
  EXPECT_EQ(tally.finished, kRounds * kCallsPerRound);
  EXPECT_GT(tally.cancelled, 0);
  EXPECT_LT(tally.cancelled, tally.finished);
  EXPECT_GT(tally.retried, 0);
}

TEST_F(RaceTest, EveryCallDiesWithItsLastEvent) {
  std::vector<std::weak_ptr<AsyncCall>> watched;
  for (int i = 0; i < 1000; ++i) {
    const auto call = Make(RandomScript(), &wire_);
    watched.push_back(call);
    call->Prepare();
    call->Post(CallStarted{});
    CancelSoon(call, random_() % 1000);
  }
  application_.Drain();
  wire_.Drain();
  timers_->Stop();
  for (const auto& call : watched) EXPECT_TRUE(call.expired());
}

}  // namespace
}  // namespace retrykit
