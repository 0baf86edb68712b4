#include "tests/property/engine_script.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/hedge_load.h"
#include "interceptors/policy/latency_tracker.h"
#include "interceptors/policy/retry_budget.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/shared_random.h"

namespace retrykit {
namespace {

// Gives zeros when the bytes are used up.
class Bytes {
 public:
  explicit Bytes(absl::string_view bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }
  int Next() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  bool NextFlag() { return Next() % 2 == 1; }
  // From 0 to end - 1.
  int Below(int end) { return Next() % end; }

 private:
  absl::string_view left_;
};

RetryRules ReadRules(Bytes& bytes) {
  RetryRules rules;
  rules.max_attempts = 1 + bytes.Below(5);
  rules.retryable = {absl::StatusCode::kAborted,
                     absl::StatusCode::kUnavailable};
  rules.backoff.jitter = static_cast<Jitter>(bytes.Below(5));
  rules.backoff.initial_backoff = absl::Milliseconds(1 + bytes.Below(30));
  rules.backoff.max_backoff = absl::Milliseconds(1 + bytes.Below(100));
  rules.backoff.multiplier = 0.5 + 0.5 * bytes.Below(6);
  rules.min_attempt_time = absl::Milliseconds(bytes.Below(2));
  return rules;
}

HedgeRules ReadHedging(Bytes& bytes) {
  HedgeRules rules;
  rules.max_attempts = 2 + bytes.Below(4);
  rules.non_fatal = {absl::StatusCode::kAborted,
                     absl::StatusCode::kUnavailable};
  rules.delay = absl::Milliseconds(bytes.Below(20));
  if (bytes.NextFlag()) rules.max_extra_load = 0.1 * bytes.Below(10);
  rules.report_only = bytes.Below(8) == 0;
  return rules;
}

RetryBudgetOptions ReadBudget(Bytes& bytes) {
  RetryBudgetOptions options;
  options.max_milli_tokens = 500 * (1 + bytes.Below(24));
  options.milli_token_ratio = 100 * (1 + bytes.Below(20));
  options.mode = bytes.Below(4) == 0 ? EnforcementMode::kReportOnly
                                     : EnforcementMode::kEnforce;
  return options;
}

CircuitBreakerOptions ReadBreaker(Bytes& bytes) {
  CircuitBreakerOptions options;
  options.consecutive_failures = bytes.Below(4);
  options.window_calls = 10;
  options.minimum_calls = 1 + bytes.Below(5);
  options.open_duration = absl::Milliseconds(1 + bytes.Below(30));
  options.half_open_probes = 1 + bytes.Below(3);
  options.half_open_successes = 1 + bytes.Below(3);
  if (bytes.NextFlag()) options.slow_call_duration = absl::Milliseconds(20);
  options.mode = static_cast<EnforcementMode>(bytes.Below(8) % 3);
  return options;
}

AttemptOutcome ReadOutcome(Bytes& bytes) {
  static constexpr absl::StatusCode kCodes[] = {
      absl::StatusCode::kOk,
      absl::StatusCode::kAborted,
      absl::StatusCode::kUnavailable,
      absl::StatusCode::kDeadlineExceeded,
      absl::StatusCode::kCancelled,
      absl::StatusCode::kResourceExhausted,
      absl::StatusCode::kInvalidArgument,
      absl::StatusCode::kAborted,
  };
  AttemptOutcome outcome;
  outcome.code = kCodes[bytes.Below(8)];
  switch (bytes.Below(16)) {
    case 0:
      outcome.pushback = Pushback::Stop();
      break;
    case 1:
      outcome.pushback = Pushback::Wait(absl::Milliseconds(bytes.Next()));
      break;
    case 2:
      outcome.pushback = Pushback::Wait(absl::ZeroDuration());
      break;
    case 3:
      outcome.pushback = Pushback::Wait(absl::Hours(24 * 365));
      break;
    case 4:
      outcome.retry_info = absl::Microseconds(100 * bytes.Next());
      break;
    case 5:
      outcome.retryable = bytes.NextFlag();
      break;
    default:
      break;
  }
  return outcome;
}

// One call, its engine, and what a driver would know of it.
class ScriptedEngine {
 public:
  ScriptedEngine(const RetryRules& rules, const CallSetup& setup) {
    trace_.rules = rules;
    trace_.setup = setup;
    if (setup.hedging != nullptr) {
      trace_.hedging = *setup.hedging;
      trace_.setup.hedging = &*trace_.hedging;
    }
    trace_.setup.rules = &trace_.rules;
    engine_.emplace(trace_.setup);
  }

  void Step(const StepEvent& event, Instant now) {
    TracedStep step{event, now, engine_->Step(event, now)};
    for (const Action& action : step.actions.list) {
      if (const auto* started = std::get_if<StartAttempt>(&action))
        latest_attempt_ = started->attempt;
      if (const auto* armed = std::get_if<ArmTimer>(&action))
        latest_timer_ = armed->timer;
    }
    if (const RetryBudget* budget = trace_.setup.budget) {
      step.milli_tokens = budget->milli_tokens();
      step.max_milli_tokens = budget->max_milli_tokens();
    }
    trace_.steps.push_back(std::move(step));
  }

  bool finished() const { return engine_->finished(); }
  int latest_attempt() const { return latest_attempt_; }
  int latest_timer() const { return latest_timer_; }

  CallTrace TakeTrace() {
    trace_.finished = engine_->finished();
    return std::move(trace_);
  }

 private:
  CallTrace trace_;
  absl::optional<CallEngine> engine_;
  int latest_attempt_ = 0;
  int latest_timer_ = 0;
};

// Everything that the script's calls share, and the calls.
class Scene {
 public:
  explicit Scene(absl::string_view script) : bytes_(script) {
    if (bytes_.NextFlag())
      budget_ = std::make_unique<RetryBudget>(ReadBudget(bytes_));
    if (bytes_.NextFlag()) {
      breaker_ =
          std::make_unique<CircuitBreaker>(ReadBreaker(bytes_), clock_.Now());
    }
    const int calls = 1 + bytes_.Below(4);
    for (int i = 0; i < calls; ++i) calls_.push_back(NewCall());
  }

  ScriptTrace Play() {
    while (!bytes_.empty()) Happen(bytes_.Next());
    for (const auto& call : calls_) call->Step(CallCancelled{}, clock_.Now());
    CountProbes();
    for (const auto& call : calls_) trace_.calls.push_back(call->TakeTrace());
    return std::move(trace_);
  }

 private:
  std::unique_ptr<ScriptedEngine> NewCall() {
    const RetryRules rules = ReadRules(bytes_);
    CallSetup setup;
    setup.budget = budget_.get();
    setup.breaker = breaker_.get();
    setup.random = &random_;
    if (bytes_.NextFlag())
      setup.deadline = clock_.Now() + absl::Milliseconds(bytes_.Next());
    if (bytes_.NextFlag())
      setup.per_attempt_timeout = absl::Milliseconds(1 + bytes_.Below(50));
    setup.timer_per_attempt = bytes_.NextFlag();
    setup.inbound_previous_attempts = bytes_.Below(16) / 14;
    setup.suppress_nested_retries = bytes_.NextFlag();
    setup.observed = true;
    HedgeRules hedging;
    if (bytes_.Below(3) == 0) {
      hedging = ReadHedging(bytes_);
      setup.hedging = &hedging;
      setup.hedge_load = &hedge_load_;
      setup.latency = bytes_.NextFlag() ? &latency_ : nullptr;
    }
    auto call = std::make_unique<ScriptedEngine>(rules, setup);
    if (bytes_.Below(8) > 0) call->Step(CallStarted{}, clock_.Now());
    return call;
  }

  // Starts the call, or another in the place of one that has finished.
  void Start(std::unique_ptr<ScriptedEngine>& call) {
    call->Step(CallStarted{}, clock_.Now());
    if (!call->finished()) return;
    trace_.calls.push_back(call->TakeTrace());
    call = NewCall();
  }

  void Happen(int what) {
    std::unique_ptr<ScriptedEngine>& place =
        calls_[static_cast<size_t>(what / 16) % calls_.size()];
    if (what % 16 == 0 || what % 16 == 12) return Start(place);
    ScriptedEngine& call = *place;
    switch (what % 16) {
      case 1:
        return call.Step(CallCancelled{}, clock_.Now());
      case 2:
        return call.Step(HeadersReceived{call.latest_attempt()}, clock_.Now());
      case 3:
        return Message(call);
      case 4:
        return call.Step(TimerFired{bytes_.Below(8)}, clock_.Now());
      case 5: {
        const int attempt = bytes_.Below(8) - 1;
        return call.Step(AttemptEnded{attempt, ReadOutcome(bytes_)},
                         clock_.Now());
      }
      case 6:
        return clock_.Advance(absl::Microseconds(-20 * bytes_.Next()));
      case 7:
        return Reload();
      case 8:
      case 9:
        return clock_.Advance(absl::Microseconds(200 * bytes_.Next()));
      case 10:
      case 11:
        return call.Step(TimerFired{call.latest_timer()}, clock_.Now());
      default:
        return call.Step(
            AttemptEnded{call.latest_attempt(), ReadOutcome(bytes_)},
            clock_.Now());
    }
  }

  void Message(ScriptedEngine& call) {
    const int attempt =
        bytes_.NextFlag() ? call.latest_attempt() : bytes_.Below(8) - 1;
    switch (bytes_.Below(8)) {
      case 0:
        return call.Step(BufferExceeded{}, clock_.Now());
      case 1:
        return call.Step(HeadersReceived{attempt}, clock_.Now());
      case 2:
      case 3:
        return call.Step(MessageReceived{attempt}, clock_.Now());
      default:
        return call.Step(MessageArrived{attempt}, clock_.Now());
    }
  }

  void Reload() {
    if (budget_ != nullptr) budget_->Reconfigure(ReadBudget(bytes_));
    if (breaker_ != nullptr)
      breaker_->Reconfigure(ReadBreaker(bytes_), clock_.Now());
  }

  void CountProbes() {
    if (breaker_ == nullptr) return;
    const CircuitBreakerOptions options = breaker_->options();
    if (breaker_->state() != CircuitBreaker::State::kHalfOpen) return;
    if (options.mode != EnforcementMode::kEnforce) return;
    trace_.probes_due = options.half_open_probes;
    for (int i = 0; i < trace_.probes_due; ++i)
      trace_.probes_given +=
          breaker_->TryAcquire(clock_.Now()).admitted ? 1 : 0;
  }

  Bytes bytes_;
  FakeClock clock_;
  SharedRandom<> random_;
  HedgeLoad hedge_load_;
  LatencyTracker latency_;
  std::unique_ptr<RetryBudget> budget_;
  std::unique_ptr<CircuitBreaker> breaker_;
  std::vector<std::unique_ptr<ScriptedEngine>> calls_;  // The present ones.
  ScriptTrace trace_;
};

}  // namespace

ScriptTrace PlayEngineScript(absl::string_view bytes) {
  return Scene(bytes).Play();
}

std::string RandomScript(uint64_t seed) {
  SeededRandom random(seed);
  std::string bytes(40 + random() % 400, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() % 256);
  return bytes;
}

}  // namespace retrykit
