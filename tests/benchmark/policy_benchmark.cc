// What the policies cost per attempt: time, and allocations (which must be
// none). One thread and two on the same object.
//
//   bazel run -c opt //tests/benchmark:policy_benchmark
//
// With two threads the time is the wall time divided by the iterations of both:
// with two free cores half of one thread's would be perfect.
#include <cstdint>
#include <random>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "benchmark/benchmark.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/verdict.h"
#include "tests/benchmark/overhead_allocations.h"

namespace retrykit {
namespace {

using Result = CircuitBreaker::Result;

// A few microseconds per attempt go by: windows roll as they do in earnest.
constexpr absl::Duration kStep = absl::Microseconds(5);
const Instant kStart = Instant::FromNanos(1'000'000'000'000);

// The process's allocations while it stands, as a counter of the benchmark.
class AllocationCounter {
 public:
  explicit AllocationCounter(benchmark::State& state)
      : state_(state), before_(Allocations()) {}
  ~AllocationCounter() {
    state_.counters["allocations"] =
        benchmark::Counter(static_cast<double>(Allocations() - before_),
                           benchmark::Counter::kAvgIterations);
  }

 private:
  benchmark::State& state_;
  const uint64_t before_;
};

// An attempt after an attempt, each admitted and recorded: a success, or every
// `failing`-th a failure (0: none).
void RunAttempts(benchmark::State& state, CircuitBreaker& breaker,
                 int64_t failing) {
  std::mt19937_64 random(1);
  Instant now = kStart;
  int64_t left = failing;
  const AllocationCounter counter(state);
  for (auto _ : state) {
    const auto admission = breaker.TryAcquire(now);
    const bool failed = failing > 0 && --left == 0;
    if (failed) left = failing;
    benchmark::DoNotOptimize(breaker.Record(
        admission.permit, failed ? Result::kFailure : Result::kSuccess,
        /*slow=*/false, now, random));
    now = now + kStep;
  }
}

void BM_BackoffNext(benchmark::State& state) {
  BackoffOptions options;
  options.jitter = static_cast<Jitter>(state.range(0));
  std::mt19937_64 random(1);
  Backoff backoff;
  int retries = 0;
  const AllocationCounter counter(state);
  for (auto _ : state) {
    if (++retries % 4 == 0) backoff.Reset();  // Calls of four retries.
    benchmark::DoNotOptimize(backoff.Next(options, random));
  }
}
BENCHMARK(BM_BackoffNext)->ArgName("jitter")->DenseRange(0, 4);

RetryBudget& SharedBudget() {
  static RetryBudget& budget = *[] {
    RetryBudgetOptions options;
    options.max_milli_tokens = 1'000'000;
    options.milli_token_ratio = 100;
    return new RetryBudget(options);
  }();
  return budget;
}

void BM_BudgetSuccessWhenFull(benchmark::State& state) {
  RetryBudget& budget = SharedBudget();
  for (int i = 0; i < 10'000; ++i) budget.RecordSuccess();
  const AllocationCounter counter(state);
  for (auto _ : state) budget.RecordSuccess();
}
BENCHMARK(BM_BudgetSuccessWhenFull)->Threads(1)->Threads(2);

void BM_BudgetWouldAllow(benchmark::State& state) {
  const RetryBudget& budget = SharedBudget();
  const AllocationCounter counter(state);
  for (auto _ : state) benchmark::DoNotOptimize(budget.WouldAllow());
}
BENCHMARK(BM_BudgetWouldAllow)->Threads(1)->Threads(2);

// A failure and the ten successes that make up for it.
void BM_BudgetFailureAndTenSuccesses(benchmark::State& state) {
  RetryBudget& budget = SharedBudget();
  const AllocationCounter counter(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(budget.RecordFailure());
    for (int i = 0; i < 10; ++i) budget.RecordSuccess();
  }
}
BENCHMARK(BM_BudgetFailureAndTenSuccesses)->Threads(1)->Threads(2);

void BM_BreakerTryAcquireClosed(benchmark::State& state) {
  static CircuitBreaker& breaker = *new CircuitBreaker({}, kStart);
  const AllocationCounter counter(state);
  for (auto _ : state) benchmark::DoNotOptimize(breaker.TryAcquire(kStart));
}
BENCHMARK(BM_BreakerTryAcquireClosed)->Threads(1)->Threads(2);

void BM_BreakerTryAcquireOpen(benchmark::State& state) {
  static CircuitBreaker& breaker = *[] {
    CircuitBreakerOptions options;
    options.consecutive_failures = 1;
    auto* opened = new CircuitBreaker(options, kStart);
    std::mt19937_64 random(1);
    opened->Record(opened->TryAcquire(kStart).permit, Result::kFailure, false,
                   kStart, random);
    return opened;
  }();
  const AllocationCounter counter(state);
  for (auto _ : state) benchmark::DoNotOptimize(breaker.TryAcquire(kStart));
}
BENCHMARK(BM_BreakerTryAcquireOpen)->Threads(1)->Threads(2);

void BM_BreakerRecordSuccess(benchmark::State& state) {
  static CircuitBreaker& breaker = *new CircuitBreaker({}, kStart);
  std::mt19937_64 random(1);
  const auto permit = breaker.TryAcquire(kStart).permit;
  Instant now = kStart;
  const AllocationCounter counter(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        breaker.Record(permit, Result::kSuccess, false, now, random));
    now = now + kStep;
  }
}
BENCHMARK(BM_BreakerRecordSuccess)->Threads(1)->Threads(2);

void BM_BreakerAttemptTimeWindow(benchmark::State& state) {
  static CircuitBreaker& breaker = *new CircuitBreaker({}, kStart);
  RunAttempts(state, breaker, 0);
}
BENCHMARK(BM_BreakerAttemptTimeWindow)->Threads(1)->Threads(2);

void BM_BreakerAttemptCountWindow(benchmark::State& state) {
  static CircuitBreaker& breaker = *[] {
    CircuitBreakerOptions options;
    options.window_calls = 100;
    return new CircuitBreaker(options, kStart);
  }();
  RunAttempts(state, breaker, 0);
}
BENCHMARK(BM_BreakerAttemptCountWindow)->Threads(1)->Threads(2);

void BM_BreakerAttemptOneInAHundredFails(benchmark::State& state) {
  static CircuitBreaker& breaker = *new CircuitBreaker({}, kStart);
  RunAttempts(state, breaker, 100);
}
BENCHMARK(BM_BreakerAttemptOneInAHundredFails)->Threads(1)->Threads(2);

// The dearest: each failure takes the lock, as one does in an outage before the
// breaker opens.
void BM_BreakerAttemptEveryThirdFails(benchmark::State& state) {
  static CircuitBreaker& breaker = *new CircuitBreaker({}, kStart);
  RunAttempts(state, breaker, 3);
}
BENCHMARK(BM_BreakerAttemptEveryThirdFails)->Threads(1)->Threads(2);

VerdictInput Ended(absl::StatusCode code) {
  VerdictInput input;
  input.outcome.code = code;
  input.now = kStart;
  return input;
}

void RunVerdicts(benchmark::State& state, absl::StatusCode code) {
  static CircuitBreaker& breaker = *new CircuitBreaker({}, kStart);
  RetryBudgetOptions never_empty;
  never_empty.max_milli_tokens = 1'000'000;
  never_empty.milli_token_ratio = 1'000'000;
  RetryBudget budget(never_empty);
  RetryRules rules;
  rules.max_attempts = 4;
  rules.retryable = {absl::StatusCode::kUnavailable};
  std::mt19937_64 random(1);
  const VerdictInput input = Ended(code);
  const AllocationCounter counter(state);
  for (auto _ : state) {
    Backoff backoff;
    benchmark::DoNotOptimize(
        Judge(input, rules, backoff, &budget, &breaker, random));
    budget.RecordSuccess();
  }
}

void BM_VerdictSuccess(benchmark::State& state) {
  RunVerdicts(state, absl::StatusCode::kOk);
}
BENCHMARK(BM_VerdictSuccess);

void BM_VerdictRetry(benchmark::State& state) {
  RunVerdicts(state, absl::StatusCode::kUnavailable);
}
BENCHMARK(BM_VerdictRetry);

}  // namespace
}  // namespace retrykit
