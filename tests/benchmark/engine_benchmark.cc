// What the engine and the timers cost per call.
//
//   bazel run -c opt //tests/benchmark:engine_benchmark
//
// `allocations` is per iteration. With two threads the time is the wall time
// divided by the iterations of both.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>

#include "interceptors/adapter/timer_heap.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/random_source.h"
#include "interceptors/engine/call_engine.h"
#include "tests/benchmark/overhead_allocations.h"

namespace retrykit {
namespace {

// The thread's allocations while it stands, as a counter of the benchmark.
class AllocationCounter {
 public:
  explicit AllocationCounter(benchmark::State& state)
      : state_(state), before_(AllocationsOfThisThread()) {}
  ~AllocationCounter() {
    state_.counters["allocations"] = benchmark::Counter(
        static_cast<double>(AllocationsOfThisThread() - before_),
        benchmark::Counter::kAvgIterations);
  }

 private:
  benchmark::State& state_;
  const uint64_t before_;
};

CircuitBreakerOptions NeverOpens() {
  CircuitBreakerOptions options;
  options.failure_rate_threshold = 1;
  return options;
}

// What calls of one method share. A success gives back what a failure took, so
// that the budget never refuses.
struct Policy {
  RetryRules rules;
  RetryBudget budget{
      {/*max_milli_tokens=*/100'000, /*milli_token_ratio=*/1000}};
  CircuitBreaker breaker{NeverOpens(), MonotonicClock().Now()};

  Policy() {
    rules.max_attempts = 4;
    rules.retryable = {absl::StatusCode::kUnavailable};
  }
  CallSetup Setup(Instant now) {
    CallSetup setup;
    setup.rules = &rules;
    setup.budget = &budget;
    setup.breaker = &breaker;
    setup.random = &SystemRandom();
    setup.deadline = now + absl::Seconds(10);
    return setup;
  }
};

Policy& SharedPolicy() {
  static auto* policy = new Policy();
  return *policy;
}

AttemptEnded Ended(int attempt, absl::StatusCode code) {
  AttemptEnded ended;
  ended.attempt = attempt;
  ended.outcome.code = code;
  return ended;
}

// The usual call: the clock is read for each step, as the drivers do.
void OneCall(benchmark::State& state) {
  Policy& policy = SharedPolicy();
  const Clock& clock = MonotonicClock();
  const AllocationCounter allocations(state);
  for (auto _ : state) {
    Instant now = clock.Now();
    CallEngine engine(policy.Setup(now));
    benchmark::DoNotOptimize(engine.Step(CallStarted{}, now));
    now = clock.Now();
    benchmark::DoNotOptimize(engine.Step(Ended(1, absl::StatusCode::kOk), now));
  }
}
BENCHMARK(OneCall)->Threads(1)->Threads(2)->UseRealTime();

void OneCallWithARetry(benchmark::State& state) {
  Policy& policy = SharedPolicy();
  const Clock& clock = MonotonicClock();
  const AllocationCounter allocations(state);
  for (auto _ : state) {
    Instant now = clock.Now();
    CallEngine engine(policy.Setup(now));
    benchmark::DoNotOptimize(engine.Step(CallStarted{}, now));
    benchmark::DoNotOptimize(
        engine.Step(Ended(1, absl::StatusCode::kUnavailable), now));
    benchmark::DoNotOptimize(engine.Step(TimerFired{1}, clock.Now()));
    benchmark::DoNotOptimize(
        engine.Step(Ended(2, absl::StatusCode::kOk), clock.Now()));
  }
}
BENCHMARK(OneCallWithARetry)->Threads(1)->Threads(2)->UseRealTime();

class NeverTold final : public TimerTarget {
 public:
  void OnTimer(int) override {}
};

// A thousand calls wait for their timers meanwhile.
TimerHeap& SharedTimers() {
  static auto* timers = [] {
    auto* heap = new std::shared_ptr<TimerHeap>(
        std::make_shared<TimerHeap>(MonotonicClock()));
    const auto target = std::make_shared<NeverTold>();
    const Instant late = MonotonicClock().Now() + absl::Hours(1);
    for (int i = 0; i < 1000; ++i) (*heap)->Arm(late, target, 1);
    return heap;
  }();
  return **timers;
}

void SetAndCancelATimer(benchmark::State& state) {
  TimerHeap& timers = SharedTimers();
  const Clock& clock = MonotonicClock();
  const std::shared_ptr<TimerTarget> target = std::make_shared<NeverTold>();
  const AllocationCounter allocations(state);
  for (auto _ : state) {
    // Later than all others, as a new call's usually is.
    const auto handle = timers.Arm(clock.Now() + absl::Hours(2), target, 1);
    benchmark::DoNotOptimize(timers.Disarm(handle));
  }
}
BENCHMARK(SetAndCancelATimer)->Threads(1)->Threads(2)->UseRealTime();

// The earliest of all: its thread is told each time.
void SetAndCancelTheEarliestTimer(benchmark::State& state) {
  TimerHeap& timers = SharedTimers();
  const Clock& clock = MonotonicClock();
  const std::shared_ptr<TimerTarget> target = std::make_shared<NeverTold>();
  for (auto _ : state) {
    const auto handle = timers.Arm(clock.Now() + absl::Minutes(1), target, 1);
    benchmark::DoNotOptimize(timers.Disarm(handle));
  }
}
BENCHMARK(SetAndCancelTheEarliestTimer)->UseRealTime();

}  // namespace
}  // namespace retrykit
