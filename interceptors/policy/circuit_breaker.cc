#include "interceptors/policy/circuit_breaker.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "absl/random/distributions.h"
#include "interceptors/policy/rolling_window.h"

namespace retrykit {
namespace {

using State = CircuitBreaker::State;

constexpr int64_t kNoSlowCalls = std::numeric_limits<int64_t>::max();

// The word that every attempt reads: two bits of state, two of mode, and the
// generation, which no two states share. Generation 0 belongs to no state.
constexpr uint64_t WordOf(State state, EnforcementMode mode,
                          uint64_t generation) {
  return generation << 4 | static_cast<uint64_t>(mode) << 2 |
         static_cast<uint64_t>(state);
}
constexpr State StateOf(uint64_t word) { return static_cast<State>(word & 3); }
constexpr EnforcementMode ModeOf(uint64_t word) {
  return static_cast<EnforcementMode>(word >> 2 & 3);
}
constexpr uint64_t GenerationOf(uint64_t word) { return word >> 4; }

CircuitBreaker::Admission AdmitTo(uint64_t generation) {
  CircuitBreaker::Admission admission;
  admission.permit.generation = generation;
  return admission;
}

CircuitBreaker::Admission Refuse(uint64_t word, absl::Duration retry_after) {
  CircuitBreaker::Admission admission;
  admission.would_refuse = ModeOf(word) == EnforcementMode::kReportOnly;
  admission.admitted = admission.would_refuse;
  admission.retry_after = retry_after;
  return admission;
}

FailureThresholds ThresholdsOf(const CircuitBreakerOptions& options) {
  FailureThresholds thresholds;
  thresholds.failure_rate = options.failure_rate_threshold;
  thresholds.slow_rate = options.slow_call_rate_threshold;
  thresholds.minimum_calls = options.minimum_calls;
  thresholds.consecutive_failures = options.consecutive_failures;
  return thresholds;
}

std::unique_ptr<RollingWindow> WindowOf(const CircuitBreakerOptions& options,
                                        Instant now) {
  return options.window_calls > 0 ? MakeCountWindow(options.window_calls)
                                  : MakeTimeWindow(options.window, now);
}

}  // namespace

CircuitBreaker::CircuitBreaker(const CircuitBreakerOptions& options,
                               Instant now)
    : latest_(now) {
  MutexLock lock(mu_);
  TakeOptionsLocked(options);
  meter_.Restart(ThresholdsOf(options), WindowOf(options, now), 1);
  published_.word.store(WordOf(State::kClosed, options.mode, 1));
}

CircuitBreaker::Admission CircuitBreaker::TryAcquire(Instant now) {
  const uint64_t seen = word();
  if (ModeOf(seen) == EnforcementMode::kDisabled) return AdmitTo(0);
  if (StateOf(seen) == State::kClosed) return AdmitTo(GenerationOf(seen));
  if (StateOf(seen) == State::kOpen) {
    const Instant until = open_until();
    if (now < until) return Refuse(seen, until - now);
  }
  MutexLock lock(mu_);
  return AcquireLocked(LatestLocked(now));
}

CircuitBreaker::Admission CircuitBreaker::AcquireLocked(Instant now) {
  if (StateOf(word()) == State::kClosed) return AdmitTo(GenerationOf(word()));

  absl::optional<Transition> transition;
  if (StateOf(word()) == State::kOpen) {
    if (now < open_until()) return Refuse(word(), open_until() - now);
    transition = HalfOpenLocked();
  }
  const absl::optional<ProbeSlots::Probe> probe =
      probes_.TryTake(now, options_.open_duration);
  if (!probe) return Refuse(word(), absl::ZeroDuration());
  Admission admission = AdmitTo(GenerationOf(word()));
  admission.permit.probe = probe->slot;
  admission.permit.ticket = probe->ticket;
  admission.transition = transition;
  return admission;
}

bool CircuitBreaker::WouldRefuse(Instant now) const {
  const uint64_t seen = word();
  if (ModeOf(seen) != EnforcementMode::kEnforce) return false;
  if (StateOf(seen) == State::kClosed) return false;
  if (StateOf(seen) == State::kOpen) return now < open_until();
  MutexLock lock(mu_);
  return StateOf(word()) == State::kHalfOpen &&
         !probes_.WouldTake(std::max(now, latest_), options_.open_duration);
}

absl::optional<CircuitBreaker::Transition> CircuitBreaker::Record(
    const Permit& permit, Result result, bool slow, Instant now,
    absl::BitGenRef random) {
  // 1. Most late results end here, without the lock.
  if (GenerationOf(word()) != permit.generation) return absl::nullopt;

  // 2. And here what counts neither way, and most successes.
  const bool is_probe = permit.probe >= 0;
  slow = slow && counts_slow_calls();
  FailureMeter::Quick quick = FailureMeter::Quick::kNotQuiet;
  if (!is_probe) {
    if (result == Result::kNeutral) return absl::nullopt;
    if (result == Result::kSuccess && !slow) {
      quick = meter_.TryCountQuietly(permit.generation, now);
    }
    if (quick == FailureMeter::Quick::kCounted) return absl::nullopt;
  }

  // 3. The rest may move the breaker to another state.
  absl::optional<Transition> transition;
  uint64_t generation;
  {
    MutexLock lock(mu_);
    if (GenerationOf(word()) != permit.generation) return absl::nullopt;
    now = LatestLocked(now);
    const bool failed = result == Result::kFailure;
    if (is_probe) {
      transition = RecordProbeLocked(permit, result, slow, now);
    } else if (quick == FailureMeter::Quick::kJudge
                   ? meter_.JudgeAgain(now)
                   : meter_.Count(failed, slow, now)) {
      transition = OpenLocked(now);
    }
    generation = GenerationOf(word());
  }

  // 4. The generator is the caller's code: not under the lock.
  if (transition && transition->to == State::kOpen) {
    JitterOpenInterval(generation, random);
  }
  return transition;
}

absl::optional<CircuitBreaker::Transition> CircuitBreaker::RecordProbeLocked(
    const Permit& permit, Result result, bool slow, Instant now) {
  if (!probes_.Return({permit.probe, permit.ticket})) return absl::nullopt;
  if (result == Result::kNeutral) return absl::nullopt;
  if (result == Result::kFailure || slow) return OpenLocked(now);
  if (++probe_successes_ < options_.half_open_successes) return absl::nullopt;
  return CloseLocked(now);
}

CircuitBreaker::Transition CircuitBreaker::OpenLocked(Instant now) {
  const bool again = StateOf(word()) == State::kHalfOpen;
  open_interval_ = std::min(options_.max_open_duration,
                            again ? open_interval_ * options_.open_multiplier
                                  : options_.open_duration);
  opened_ = now;
  published_.open_until.store((opened_ + open_interval_).nanos());
  return MoveLocked(State::kOpen);
}

CircuitBreaker::Transition CircuitBreaker::HalfOpenLocked() {
  probes_.Reset(options_.half_open_probes);
  probe_successes_ = 0;
  return MoveLocked(State::kHalfOpen);
}

CircuitBreaker::Transition CircuitBreaker::CloseLocked(Instant now) {
  meter_.Restart(GenerationOf(word()) + 1, now);
  return MoveLocked(State::kClosed);
}

// Last of a change: whoever reads the new word sees all that belongs to it.
CircuitBreaker::Transition CircuitBreaker::MoveLocked(State to) {
  const Transition transition = {StateOf(word()), to};
  published_.word.store(WordOf(to, options_.mode, GenerationOf(word()) + 1));
  return transition;
}

void CircuitBreaker::JitterOpenInterval(uint64_t generation,
                                        absl::BitGenRef random) {
  const double factor = 1 + 0.2 * absl::Uniform(random, -1.0, 1.0);
  MutexLock lock(mu_);
  if (GenerationOf(word()) != generation) return;
  published_.open_until.store((opened_ + open_interval_ * factor).nanos());
}

CircuitBreaker::Result CircuitBreaker::Classify(absl::StatusCode code) const {
  if (code == absl::StatusCode::kOk) return Result::kSuccess;
  if (published_.failure_codes.load(std::memory_order_relaxed).Contains(code)) {
    return Result::kFailure;
  }
  return code == absl::StatusCode::kResourceExhausted ? Result::kNeutral
                                                      : Result::kSuccess;
}

bool CircuitBreaker::IsSlow(absl::Duration duration) const {
  return counts_slow_calls() &&
         duration > absl::Nanoseconds(
                        published_.slow_nanos.load(std::memory_order_relaxed));
}

void CircuitBreaker::Reconfigure(const CircuitBreakerOptions& options,
                                 Instant now) {
  MutexLock lock(mu_);
  if (options == options_) return;
  now = LatestLocked(now);
  const uint64_t generation = GenerationOf(word()) + 1;
  TakeOptionsLocked(options);
  meter_.Restart(ThresholdsOf(options), WindowOf(options, now), generation);
  probes_.Reset(options.half_open_probes);
  probe_successes_ = 0;
  published_.word.store(WordOf(StateOf(word()), options.mode, generation));
}

void CircuitBreaker::TakeOptionsLocked(const CircuitBreakerOptions& options) {
  options_ = options;
  published_.failure_codes.store(options.failure_status_codes);
  published_.slow_nanos.store(
      options.has_slow_calls()
          ? absl::ToInt64Nanoseconds(options.slow_call_duration)
          : kNoSlowCalls);
}

Instant CircuitBreaker::LatestLocked(Instant now) {
  latest_ = std::max(latest_, now);
  return latest_;
}

uint64_t CircuitBreaker::word() const {
  return published_.word.load(std::memory_order_acquire);
}

Instant CircuitBreaker::open_until() const {
  return Instant::FromNanos(
      published_.open_until.load(std::memory_order_acquire));
}

bool CircuitBreaker::counts_slow_calls() const {
  return published_.slow_nanos.load(std::memory_order_relaxed) != kNoSlowCalls;
}

State CircuitBreaker::state() const { return StateOf(word()); }

CircuitBreakerOptions CircuitBreaker::options() const {
  MutexLock lock(mu_);
  return options_;
}

bool operator==(const CircuitBreakerOptions& a,
                const CircuitBreakerOptions& b) {
  return a.failure_rate_threshold == b.failure_rate_threshold &&
         a.minimum_calls == b.minimum_calls && a.window == b.window &&
         a.window_calls == b.window_calls &&
         a.consecutive_failures == b.consecutive_failures &&
         a.slow_call_duration == b.slow_call_duration &&
         a.slow_call_rate_threshold == b.slow_call_rate_threshold &&
         a.failure_status_codes == b.failure_status_codes &&
         a.open_duration == b.open_duration &&
         a.max_open_duration == b.max_open_duration &&
         a.open_multiplier == b.open_multiplier &&
         a.half_open_probes == b.half_open_probes &&
         a.half_open_successes == b.half_open_successes &&
         a.per_method == b.per_method && a.mode == b.mode;
}

const char* CircuitStateText(CircuitBreaker::State state) {
  switch (state) {
    case State::kClosed:
      return "closed";
    case State::kOpen:
      return "open";
    case State::kHalfOpen:
      return "half_open";
  }
  return "unknown";
}

}  // namespace retrykit
