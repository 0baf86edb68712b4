// One breaker under eight threads: no count is lost or doubled, and each
// transition is told to exactly one of them.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace retrykit {
namespace {

using Result = CircuitBreaker::Result;
using State = CircuitBreaker::State;

constexpr int kThreads = 8;
constexpr int kAttempts = 2000;  // Of each thread.
constexpr int kAll = kThreads * kAttempts;

void OnThreads(const std::function<void(int number)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

// Counts the transitions that were told, by where they led.
class Transitions {
 public:
  void Note(const absl::optional<CircuitBreaker::Transition>& transition) {
    if (transition) ++told_[static_cast<int>(transition->to)];
  }
  int to(State state) const { return told_[static_cast<int>(state)]; }

 private:
  std::atomic<int> told_[3] = {};
};

// Every `failing`-th attempt of each thread fails.
int TimesOpened(const CircuitBreakerOptions& options, int failing) {
  const FakeClock clock;
  CircuitBreaker breaker(options, clock.Now());
  Transitions transitions;
  OnThreads([&](int number) {
    SeededRandom random(static_cast<uint64_t>(number));
    for (int i = 0; i < kAttempts; ++i) {
      const auto permit = breaker.TryAcquire(clock.Now()).permit;
      transitions.Note(breaker.Record(
          permit,
          i % failing == failing - 1 ? Result::kFailure : Result::kSuccess,
          /*slow=*/false, clock.Now(), random));
    }
  });
  return transitions.to(State::kOpen);
}

CircuitBreakerOptions Rate(int failures, int minimum_calls) {
  CircuitBreakerOptions options;
  options.minimum_calls = minimum_calls;
  options.failure_rate_threshold =
      static_cast<double>(failures) / static_cast<double>(kAll);
  return options;
}

// With all attempts as the minimum, only the very last one can open it, and
// only if neither a failure nor a success was lost.
TEST(CircuitBreakerThreadsTest, D11_CountsAreExactInATimeWindow) {
  EXPECT_EQ(TimesOpened(Rate(kAll / 4, kAll), 4), 1);
  EXPECT_EQ(TimesOpened(Rate(kAll / 4 + 1, kAll), 4), 0);
  EXPECT_EQ(TimesOpened(Rate(kAll / 4, kAll + 1), 4), 0);
}

TEST(CircuitBreakerThreadsTest, D11_CountsAreExactInACountWindow) {
  CircuitBreakerOptions options = Rate(kAll / 4, kAll);
  options.window_calls = kAll;
  EXPECT_EQ(TimesOpened(options, 4), 1);
  options.failure_rate_threshold =
      Rate(kAll / 4 + 1, kAll).failure_rate_threshold;
  EXPECT_EQ(TimesOpened(options, 4), 0);
}

// Each thread fails at its end: until one does, all take the way without the
// lock.
TEST(CircuitBreakerThreadsTest, D11_QuietSuccessesAreCountedExactly) {
  EXPECT_EQ(TimesOpened(Rate(kThreads, kAll), kAttempts), 1);
  EXPECT_EQ(TimesOpened(Rate(kThreads, kAll + 1), kAttempts), 0);
}

// Lets two threads begin each round at the same moment, as nearly as can be.
class TwoThreadBarrier {
 public:
  void Meet(int round) {
    arrived_.fetch_add(1);
    while (arrived_.load() < 2 * (round + 1)) std::this_thread::yield();
  }

 private:
  std::atomic<int> arrived_{0};
};

// A success that is being counted without the lock while a failure is judged
// under it: one of the two sees both.
TEST(CircuitBreakerThreadsTest, D11_NoSuccessSlipsPastAJudgement) {
  constexpr int kRounds = 10'000;
  const FakeClock clock;
  CircuitBreakerOptions options;
  options.minimum_calls = 2;
  std::deque<CircuitBreaker> breakers;
  for (int i = 0; i < kRounds; ++i) breakers.emplace_back(options, clock.Now());
  TwoThreadBarrier barrier;
  const auto record_all = [&](Result result) {
    SeededRandom random;
    for (int i = 0; i < kRounds; ++i) {
      CircuitBreaker& breaker = breakers[static_cast<size_t>(i)];
      const auto permit = breaker.TryAcquire(clock.Now()).permit;
      barrier.Meet(i);
      breaker.Record(permit, result, /*slow=*/false, clock.Now(), random);
    }
  };
  std::thread failing(record_all, Result::kFailure);
  record_all(Result::kSuccess);
  failing.join();
  for (const CircuitBreaker& breaker : breakers) {
    ASSERT_EQ(breaker.state(), State::kOpen);
  }
}

TEST(CircuitBreakerThreadsTest, D11_OpensOnceHoweverManyFailAtOnce) {
  for (int round = 0; round < 50; ++round) {
    CircuitBreakerOptions options;
    options.minimum_calls = kThreads;
    EXPECT_EQ(TimesOpened(options, 1), 1);
  }
}

TEST(CircuitBreakerThreadsTest, D11_ExactlyTheProbesPassAndOneTellsOfIt) {
  for (int round = 0; round < 50; ++round) {
    FakeClock clock;
    CircuitBreakerOptions options;
    options.consecutive_failures = 1;
    CircuitBreaker breaker(options, clock.Now());
    SeededRandom random;
    breaker.Record(breaker.TryAcquire(clock.Now()).permit, Result::kFailure,
                   false, clock.Now(), random);
    clock.Advance(absl::Seconds(6));

    Transitions transitions;
    std::atomic<int> admitted{0};
    OnThreads([&](int) {
      const CircuitBreaker::Admission admission =
          breaker.TryAcquire(clock.Now());
      transitions.Note(admission.transition);
      if (admission.admitted) ++admitted;
    });
    EXPECT_EQ(admitted, options.half_open_probes);
    EXPECT_EQ(transitions.to(State::kHalfOpen), 1);
  }
}

// All at once: states, time, reloads. What was told must be a walk through the
// states, and the breaker must still work at the end.
TEST(CircuitBreakerThreadsTest, D11_TransitionsAddUpUnderTimeAndReloads) {
  FakeClock clock;
  CircuitBreakerOptions options;
  options.minimum_calls = 10;
  options.open_duration = options.max_open_duration = absl::Milliseconds(1);
  CircuitBreaker breaker(options, clock.Now());
  Transitions transitions;
  OnThreads([&](int number) {
    SeededRandom random(static_cast<uint64_t>(number));
    for (int i = 0; i < kAttempts; ++i) {
      clock.Advance(absl::Microseconds(20));
      const CircuitBreaker::Admission admission =
          breaker.TryAcquire(clock.Now());
      transitions.Note(admission.transition);
      breaker.WouldRefuse(clock.Now());
      if (!admission.admitted) continue;
      const Result result =
          i / 100 % 2 == 0 ? Result::kFailure : Result::kSuccess;
      transitions.Note(
          breaker.Record(admission.permit, result, false, clock.Now(), random));
      if (number == 0 && i % 500 == 499) {
        CircuitBreakerOptions other = options;
        other.minimum_calls = 10 + i / 500 % 2;
        breaker.Reconfigure(other, clock.Now());
      }
    }
  });
  // Each closing needs a half-open state before it, each half-open state an
  // open one, and the breaker stands in one of them.
  const int opened = transitions.to(State::kOpen);
  const int half_opened = transitions.to(State::kHalfOpen);
  const int closed = transitions.to(State::kClosed);
  EXPECT_GT(closed, 0);
  EXPECT_EQ(opened - half_opened, breaker.state() == State::kOpen ? 1 : 0);
  EXPECT_GE(half_opened, closed);
}

}  // namespace
}  // namespace retrykit
