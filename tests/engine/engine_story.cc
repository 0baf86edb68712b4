#include "tests/engine/engine_story.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "tests/support/step_text.h"

namespace retrykit {

AttemptOutcome Failed(absl::StatusCode code) {
  AttemptOutcome outcome;
  outcome.code = code;
  return outcome;
}

AttemptOutcome Succeeded() { return Failed(absl::StatusCode::kOk); }

AttemptOutcome PushedBack(absl::Duration delay) {
  AttemptOutcome outcome = Failed();
  outcome.pushback = Pushback::Wait(delay);
  return outcome;
}

AttemptOutcome ToldToStop() {
  AttemptOutcome outcome = Failed();
  outcome.pushback = Pushback::Stop();
  return outcome;
}

AttemptOutcome ToldToWait(absl::Duration retry_info) {
  AttemptOutcome outcome = Failed();
  outcome.retry_info = retry_info;
  return outcome;
}

RetryBudgetOptions BudgetOf(double max_tokens, double token_ratio) {
  RetryBudgetOptions options;
  options.max_milli_tokens = static_cast<int64_t>(max_tokens * 1000);
  options.milli_token_ratio = static_cast<int64_t>(token_ratio * 1000);
  return options;
}

CircuitBreakerOptions FragileBreaker() {
  CircuitBreakerOptions options;
  options.consecutive_failures = 1;
  options.failure_status_codes = {absl::StatusCode::kAborted,
                                  absl::StatusCode::kDeadlineExceeded};
  options.open_duration = absl::Seconds(5);
  options.half_open_probes = 1;
  options.half_open_successes = 1;
  return options;
}

EngineStory::EngineStory(double chance)
    : begin_(clock.Now()), random_(ScriptedRandom({chance})) {
  rules.max_attempts = 4;
  rules.retryable = {absl::StatusCode::kAborted};
  rules.backoff.initial_backoff = absl::Milliseconds(20);
  rules.backoff.max_backoff = absl::Milliseconds(200);
  rules.backoff.multiplier = 2;
  rules.backoff.jitter = Jitter::kNone;
  setup.rules = &rules;
  setup.random = &random_;
  setup.observed = true;
}

void EngineStory::UseBudget(const RetryBudgetOptions& options) {
  own_budget_ = std::make_unique<RetryBudget>(options);
  setup.budget = own_budget_.get();
}

void EngineStory::UseBreaker(const CircuitBreakerOptions& options) {
  own_breaker_ = std::make_unique<CircuitBreaker>(options, clock.Now());
  setup.breaker = own_breaker_.get();
}

void EngineStory::ShareWith(EngineStory& other) {
  setup.budget = other.setup.budget;
  setup.breaker = other.setup.breaker;
}

Lines EngineStory::Step(const StepEvent& event) {
  if (!engine_) engine_.emplace(setup);
  const Actions actions = engine_->Step(event, clock.Now());
  events_.insert(events_.end(), actions.events.begin(), actions.events.end());
  Lines lines;
  for (const Action& action : actions.list) {
    lines.push_back(ActionText(action, begin_));
    if (std::holds_alternative<ArmTimer>(action)) ++timers_armed_;
  }
  return lines;
}

Lines EngineStory::Told() {
  Lines lines;
  for (const CallEvent& event : TakeEvents())
    lines.push_back(CallEventText(event));
  return lines;
}

std::vector<CallEvent> EngineStory::TakeEvents() {
  return std::exchange(events_, {});
}

void Open(CircuitBreaker& breaker, Instant now, RandomSource& random) {
  breaker.Record(breaker.TryAcquire(now).permit,
                 CircuitBreaker::Result::kFailure, false, now, random);
}

}  // namespace retrykit
