// Hedging where moments meet, ten thousand times through both drivers: answers
// that come together, a cancel that races with a start, a hedge that is
// throttled with nothing in flight. Each time exactly one completion.
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "interceptors/adapter/blocking_driver.h"
#include "interceptors/adapter/timer_heap.h"
#include "interceptors/core/clock.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/step.h"
#include "interceptors/policy/hedge_load.h"
#include "interceptors/policy/retry_budget.h"
#include "tests/adapter/async_call.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/worker_threads.h"

namespace retrykit {
namespace {

constexpr int kRounds = 10000;

HedgeRules Rules(absl::Duration delay) {
  HedgeRules rules;
  rules.max_attempts = 3;
  rules.non_fatal = {absl::StatusCode::kAborted};
  rules.delay = delay;
  return rules;
}

AttemptOutcome PushedBack() {
  AttemptOutcome outcome = Aborted();
  outcome.pushback = Pushback::Wait(absl::Microseconds(1));
  return outcome;
}

class HedgingRacesTest : public testing::Test {
 protected:
  ~HedgingRacesTest() override {
    EXPECT_EQ(timers_->live(), 0u);
    timers_->Stop();
  }

  std::shared_ptr<AsyncCall> Make(std::vector<ScriptedAttempt> script) {
    auto call =
        std::make_shared<AsyncCall>(std::move(script), &wire_, *timers_);
    call->setup().hedging = &hedging_;
    call->setup().hedge_load = &load_;
    return call;
  }

  HedgeRules hedging_ = Rules(absl::ZeroDuration());
  HedgeLoad load_;
  const std::shared_ptr<TimerHeap> timers_ =
      std::make_shared<TimerHeap>(MonotonicClock());
  WorkerThreads wire_{3};
};

TEST_F(HedgingRacesTest, AnswersThatComeTogether) {
  for (int round = 0; round < kRounds; ++round) {
    const auto call = Make({{Ok()}, {Ok()}, {Ok()}});
    call->Begin();
    const absl::optional<FinishCall> finish = call->transport.WaitForFinish();
    ASSERT_TRUE(finish);
    ASSERT_EQ(finish->code, absl::StatusCode::kOk);
    ASSERT_EQ(call->transport.Broken(), "");
  }
}

TEST_F(HedgingRacesTest, ACancelThatRacesWithAStart) {
  hedging_ = Rules(absl::Microseconds(1));
  for (int round = 0; round < kRounds; ++round) {
    const auto call = Make({Hanging()});
    call->Prepare();
    wire_.Run([call] { call->Post(CallStarted{}); });
    if (round % 2 == 0) std::this_thread::yield();
    call->Post(CallCancelled{});
    const absl::optional<FinishCall> finish = call->transport.WaitForFinish();
    ASSERT_TRUE(finish);
    ASSERT_EQ(finish->code, absl::StatusCode::kCancelled);
    ASSERT_EQ(call->transport.Broken(), "");
  }
}

TEST_F(HedgingRacesTest, AThrottledHedgeWithNothingInFlight) {
  RetryBudgetOptions options;
  options.max_milli_tokens = 4000;
  options.milli_token_ratio = 1;
  for (int round = 0; round < kRounds; ++round) {
    RetryBudget budget(options);
    budget.RecordFailure();
    const auto call = Make({{PushedBack()}});
    call->setup().budget = &budget;
    call->Begin();
    // Another call's failure, while the hedge waits or just before.
    budget.RecordFailure();
    const absl::optional<FinishCall> finish = call->transport.WaitForFinish();
    ASSERT_TRUE(finish);
    ASSERT_EQ(finish->code, absl::StatusCode::kAborted);
    ASSERT_EQ(call->transport.Broken(), "");
    wire_.Drain();
  }
}

TEST_F(HedgingRacesTest, ABlockingCallsAnswersThatComeTogether) {
  for (int round = 0; round < kRounds; ++round) {
    ScriptedTransport transport({{Ok()}, {Ok()}, {Ok()}}, &wire_);
    CallRules rules;
    rules.setup.hedging = &hedging_;
    rules.setup.hedge_load = &load_;
    BlockingDriver driver(rules.setup, MonotonicClock(), transport);
    driver.Run(CallStarted{});
    ASSERT_EQ(transport.Broken(), "");
    wire_.Drain();
  }
}

TEST_F(HedgingRacesTest, ABlockingCallsCancelThatRacesWithAStart) {
  hedging_ = Rules(absl::Microseconds(1));
  for (int round = 0; round < kRounds; ++round) {
    ScriptedTransport transport({Hanging()}, &wire_);
    CallRules rules;
    rules.setup.hedging = &hedging_;
    rules.setup.hedge_load = &load_;
    BlockingDriver driver(rules.setup, MonotonicClock(), transport);
    wire_.Run([&] { driver.Cancel(); });
    driver.Run(CallStarted{});
    ASSERT_EQ(transport.WaitForFinish()->code, absl::StatusCode::kCancelled);
    ASSERT_EQ(transport.Broken(), "");
    wire_.Drain();
  }
}

}  // namespace
}  // namespace retrykit
