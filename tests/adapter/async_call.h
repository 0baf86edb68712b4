// A call as the drivers' tests need it: four attempts for ABORTED without a
// wait worth mentioning, over a scripted transport.
//
//   auto call = std::make_shared<AsyncCall>(script, &wire, *timers);
//   call->Begin();
//   call->transport.WaitForFinish();
//
// Thread-safety: Begin once; Post from any thread.
// Lifetime: an AsyncCall is kept alive by what is under way for it: attempts on
// the wire and armed timers.
#ifndef RETRYKIT_TESTS_ADAPTER_ASYNC_CALL_H_
#define RETRYKIT_TESTS_ADAPTER_ASYNC_CALL_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/adapter/async_driver.h"
#include "interceptors/adapter/timer_heap.h"
#include "interceptors/core/clock.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/ports.h"
#include "interceptors/engine/step.h"
#include "interceptors/policy/verdict.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/shared_random.h"
#include "tests/support/worker_threads.h"

namespace retrykit {

inline AttemptOutcome Outcome(absl::StatusCode code) {
  AttemptOutcome outcome;
  outcome.code = code;
  return outcome;
}

inline AttemptOutcome Aborted() { return Outcome(absl::StatusCode::kAborted); }
inline AttemptOutcome Ok() { return Outcome(absl::StatusCode::kOk); }

// Fails, and the server asks for the next attempt at once.
inline AttemptOutcome AtOnceAgain() {
  AttemptOutcome outcome = Aborted();
  outcome.pushback = Pushback::Wait(absl::ZeroDuration());
  return outcome;
}

// Never ends of itself.
inline ScriptedAttempt Hanging() {
  return {Ok(), ScriptedAttempt::Ends::kWhenTold};
}

struct CallRules {
  explicit CallRules(absl::Duration backoff = absl::Microseconds(1)) {
    rules.max_attempts = 4;
    rules.retryable = {absl::StatusCode::kAborted};
    rules.backoff.initial_backoff = backoff;
    rules.backoff.max_backoff = backoff;
    rules.backoff.jitter = Jitter::kNone;
    setup.rules = &rules;
    setup.random = &random;
    setup.observed = true;
  }
  CallRules(const CallRules&) = delete;
  CallRules& operator=(const CallRules&) = delete;

  RetryRules rules;
  SharedRandom<> random;
  CallSetup setup;
};

class AsyncCall final : public TimerTarget,
                        public std::enable_shared_from_this<AsyncCall> {
 public:
  AsyncCall(std::vector<ScriptedAttempt> script, WorkerThreads* wire,
            TimerPort& timers, absl::Duration backoff = absl::Microseconds(1))
      : transport(std::move(script), wire), rules_(backoff), timers_(timers) {}

  // To be changed before the call begins.
  CallSetup& setup() { return rules_.setup; }

  // What happens first: CallStarted, or a cancel that was quicker.
  void Begin(const StepEvent& first = CallStarted{}) {
    Prepare();
    Post(first);
  }
  // Ready for Post.
  void Prepare() {
    driver_ = std::make_unique<Driver>(MonotonicClock(), transport, timers_,
                                       weak_from_this(), rules_.setup);
    transport.PostTo(weak_from_this(),
                     [this](const StepEvent& event) { Post(event); });
  }
  void Post(const StepEvent& event) { driver_->Post(event); }
  void OnTimer(int timer) override { Post(TimerFired{timer}); }

  ScriptedTransport transport;

 private:
  using Driver = AsyncDriver<CallEngine, CallPort>;

  CallRules rules_;
  TimerPort& timers_;
  std::unique_ptr<Driver> driver_;
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_ADAPTER_ASYNC_CALL_H_
