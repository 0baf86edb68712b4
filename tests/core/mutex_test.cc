#include "interceptors/core/mutex.h"

#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"

namespace retrykit {
namespace {

struct Counter {
  Mutex mu;
  CondVar changed;
  int value ABSL_GUARDED_BY(mu) = 0;
};

void Add(Counter& counter, int times) {
  for (int i = 0; i < times; ++i) {
    MutexLock lock(counter.mu);
    ++counter.value;
    counter.changed.NotifyAll();
  }
}

TEST(MutexTest, EightThreadsLoseNoCount) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&counter] { Add(counter, 1000); });
  }
  for (std::thread& thread : threads) thread.join();
  MutexLock lock(counter.mu);
  EXPECT_EQ(counter.value, 8000);
}

TEST(CondVarTest, WaitSeesWhatTheNotifierWrote) {
  Counter counter;
  std::thread notifier([&counter] { Add(counter, 3); });
  {
    MutexLock lock(counter.mu);
    while (counter.value < 3) counter.changed.Wait(counter.mu);
    EXPECT_EQ(counter.value, 3);
  }
  notifier.join();
}

TEST(CondVarTest, WaitUntilEndsByItselfAndNotEarly) {
  Counter counter;
  const Instant until = MonotonicClock().Now() + absl::Milliseconds(2);
  MutexLock lock(counter.mu);
  while (MonotonicClock().Now() < until) {
    counter.changed.WaitUntil(counter.mu, until);
  }
  EXPECT_GE(MonotonicClock().Now(), until);
}

TEST(CondVarTest, WaitUntilInThePastReturns) {
  Counter counter;
  MutexLock lock(counter.mu);
  counter.changed.WaitUntil(counter.mu, Instant());
}

TEST(CondVarTest, WaitUntilTheInfiniteFutureEndsWhenNotified) {
  Counter counter;
  std::thread notifier([&counter] { Add(counter, 1); });
  {
    MutexLock lock(counter.mu);
    while (counter.value < 1) {
      counter.changed.WaitUntil(counter.mu, Instant::InfiniteFuture());
    }
  }
  notifier.join();
}

}  // namespace
}  // namespace retrykit
