// One call's engine in virtual time, told as event -> actions.
//
//   EngineStory story;                             // Four attempts, 20 ms.
//   EXPECT_THAT(story.Start(), ElementsAre("StartAttempt 1 first"));
//   EXPECT_THAT(story.End(1, Failed()), ElementsAre("ArmTimer 1 at 20ms"));
//   story.Pass(absl::Milliseconds(20));
//   EXPECT_THAT(story.Fire(1),
//               ElementsAre("StartAttempt 2 retry previous 1"));
//
// Points in time are told since the story's begin. Change `rules` and `setup`,
// add a budget or a breaker, before the first event.
#ifndef RETRYKIT_TESTS_ENGINE_ENGINE_STORY_H_
#define RETRYKIT_TESTS_ENGINE_ENGINE_STORY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/step.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/verdict.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/shared_random.h"

namespace retrykit {

using Lines = std::vector<std::string>;

AttemptOutcome Failed(absl::StatusCode code = absl::StatusCode::kAborted);
AttemptOutcome Succeeded();
AttemptOutcome PushedBack(absl::Duration delay);
AttemptOutcome ToldToStop();
AttemptOutcome ToldToWait(absl::Duration retry_info);

// Tokens, not thousandths of them.
RetryBudgetOptions BudgetOf(double max_tokens, double token_ratio);

// Opens at the first failure, for exactly five seconds, and takes one probe.
CircuitBreakerOptions FragileBreaker();

class EngineStory {
 public:
  // `chance`: where in its interval every random number is drawn.
  explicit EngineStory(double chance = 0.5);

  // Four attempts for ABORTED, 20 ms, 40 ms and 80 ms apart.
  RetryRules rules;
  CallSetup setup;
  FakeClock clock;

  void UseBudget(const RetryBudgetOptions& options);
  void UseBreaker(const CircuitBreakerOptions& options);
  // Those of an earlier story, which must live longer.
  void ShareWith(EngineStory& other);
  // The overall deadline, since now.
  void EndBy(absl::Duration deadline) {
    setup.deadline = clock.Now() + deadline;
  }

  void Pass(absl::Duration time) { clock.Advance(time); }

  Lines Start() { return Step(CallStarted{}); }
  Lines End(int attempt, const AttemptOutcome& outcome) {
    return Step(AttemptEnded{attempt, outcome});
  }
  Lines Headers(int attempt) { return Step(HeadersReceived{attempt}); }
  // The wire has a message; the application has waited for it.
  Lines Arrived(int attempt) { return Step(MessageArrived{attempt}); }
  Lines Message(int attempt) { return Step(MessageReceived{attempt}); }
  Lines OutgrowBuffer() { return Step(BufferExceeded{}); }
  Lines Fire(int timer) { return Step(TimerFired{timer}); }
  Lines Cancel() { return Step(CallCancelled{}); }
  Lines Step(const StepEvent& event);

  // What observers were told since the last time.
  Lines Told();
  // The same, with everything in them.
  std::vector<CallEvent> TakeEvents();

  RetryBudget& budget() { return *setup.budget; }
  CircuitBreaker& breaker() { return *setup.breaker; }
  RandomSource& random() { return random_; }
  size_t timers_armed() const { return timers_armed_; }

 private:
  const Instant begin_;
  SharedRandom<ScriptedRandom> random_;
  std::unique_ptr<RetryBudget> own_budget_;
  std::unique_ptr<CircuitBreaker> own_breaker_;
  absl::optional<CallEngine> engine_;  // Made by the first event.
  std::vector<CallEvent> events_;
  size_t timers_armed_ = 0;
};

// An attempt of somebody else, whose end opens a FragileBreaker.
void Open(CircuitBreaker& breaker, Instant now, RandomSource& random);

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_ENGINE_ENGINE_STORY_H_
