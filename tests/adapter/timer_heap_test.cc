#include "interceptors/adapter/timer_heap.h"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/ports.h"
#include "tests/support/fake_clock.h"
#include "tests/support/real_time.h"
#include "tests/support/seeded_random.h"
#include "tests/support/worker_threads.h"

namespace retrykit {
namespace {

using testing::ElementsAre;

// Remembers which timers fired.
class RecordingTarget final : public TimerTarget {
 public:
  void OnTimer(int timer) override {
    MutexLock lock(mu_);
    fired_.push_back(timer);
    changed_.NotifyAll();
  }

  // Waits until that many have fired.
  std::vector<int> Fired(size_t count) const {
    const Instant until = MonotonicClock().Now() + kPatience;
    MutexLock lock(mu_);
    while (fired_.size() < count && MonotonicClock().Now() < until)
      changed_.WaitUntil(mu_, until);
    return fired_;
  }

 private:
  mutable Mutex mu_;
  mutable CondVar changed_;
  std::vector<int> fired_ ABSL_GUARDED_BY(mu_);
};

// Does what the test says, when it fires and when it dies.
class ScriptedTarget final : public TimerTarget {
 public:
  ~ScriptedTarget() override {
    if (on_death) on_death();
  }
  void OnTimer(int timer) override {
    if (on_timer) on_timer(timer);
  }

  std::function<void(int)> on_timer;
  std::function<void()> on_death;
};

class TimerHeapTest : public testing::Test {
 protected:
  ~TimerHeapTest() override { timers_->Stop(); }

  Instant In(absl::Duration delay) const { return clock_.Now() + delay; }

  // The heap waits in real time for what the clock says: a timer that is due
  // now makes it look again.
  void Poke() { timers_->Arm(Instant(), target_, 0); }

  FakeClock clock_;
  const std::shared_ptr<TimerHeap> timers_ =
      std::make_shared<TimerHeap>(clock_);
  const std::shared_ptr<RecordingTarget> target_ =
      std::make_shared<RecordingTarget>();
};

TEST_F(TimerHeapTest, FiresInTheOrderOfTimeAndOfArming) {
  timers_->Arm(In(absl::Hours(3)), target_, 5);
  timers_->Arm(In(absl::Hours(1)), target_, 1);
  timers_->Arm(In(absl::Hours(2)), target_, 3);
  timers_->Arm(In(absl::Hours(1)), target_, 2);
  timers_->Arm(In(absl::Hours(2)), target_, 4);
  clock_.Advance(absl::Hours(3));
  Poke();
  EXPECT_THAT(target_->Fired(6), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(timers_->live(), 0u);
}

TEST_F(TimerHeapTest, FiresAtTheTickAndNotBefore) {
  timers_->Arm(In(absl::Hours(1)), target_, 1);
  clock_.Advance(absl::Hours(1) - absl::Nanoseconds(1));
  Poke();
  EXPECT_THAT(target_->Fired(1), ElementsAre(0));
  Poke();
  EXPECT_THAT(target_->Fired(2), ElementsAre(0, 0));
  EXPECT_EQ(timers_->live(), 1u);
  clock_.Advance(absl::Nanoseconds(1));
  Poke();
  EXPECT_THAT(target_->Fired(4), ElementsAre(0, 0, 0, 1));
}

TEST_F(TimerHeapTest, WaitsInRealTimeForTheRealClock) {
  const auto timers = std::make_shared<TimerHeap>(MonotonicClock());
  const Instant at = MonotonicClock().Now() + absl::Milliseconds(2);
  timers->Arm(at, target_, 1);
  EXPECT_THAT(target_->Fired(1), ElementsAre(1));
  EXPECT_GE(MonotonicClock().Now(), at);
  timers->Stop();
}

TEST_F(TimerHeapTest, ATimerInTheInfiniteFutureNeverFires) {
  const auto handle = timers_->Arm(Instant::InfiniteFuture(), target_, 1);
  Poke();
  EXPECT_THAT(target_->Fired(1), ElementsAre(0));
  EXPECT_TRUE(timers_->Disarm(handle));
}

TEST_F(TimerHeapTest, ADisarmedTimerDoesNotFire) {
  const auto handle = timers_->Arm(In(absl::Hours(1)), target_, 1);
  EXPECT_EQ(timers_->live(), 1u);
  EXPECT_TRUE(timers_->Disarm(handle));
  EXPECT_EQ(timers_->live(), 0u);
  clock_.Advance(absl::Hours(1));
  Poke();
  EXPECT_THAT(target_->Fired(1), ElementsAre(0));
}

TEST_F(TimerHeapTest, DisarmingTooLateOrTwiceOrNothingSaysSo) {
  const auto fired = timers_->Arm(Instant(), target_, 1);
  target_->Fired(1);
  EXPECT_FALSE(timers_->Disarm(fired));
  const auto handle = timers_->Arm(In(absl::Hours(1)), target_, 2);
  EXPECT_TRUE(timers_->Disarm(handle));
  EXPECT_FALSE(timers_->Disarm(handle));
  EXPECT_FALSE(timers_->Disarm(TimerPort::Handle()));
}

TEST_F(TimerHeapTest, DisarmingTheEarliestLeavesTheOthers) {
  const auto first = timers_->Arm(In(absl::Hours(1)), target_, 1);
  timers_->Arm(In(absl::Hours(2)), target_, 2);
  EXPECT_TRUE(timers_->Disarm(first));
  clock_.Advance(absl::Hours(2));
  Poke();
  EXPECT_THAT(target_->Fired(2), ElementsAre(0, 2));
}

TEST_F(TimerHeapTest, ATargetMayArmAndDisarm) {
  const auto other = timers_->Arm(In(absl::Hours(1)), target_, 7);
  const auto target = std::make_shared<ScriptedTarget>();
  std::atomic<bool> disarmed{false};
  target->on_timer = [&](int) {
    disarmed = timers_->Disarm(other);
    timers_->Arm(Instant(), target_, 1);
  };
  timers_->Arm(Instant(), target, 1);
  EXPECT_THAT(target_->Fired(1), ElementsAre(1));
  EXPECT_TRUE(disarmed);
}

// Would never come back if the lock were held.
std::shared_ptr<ScriptedTarget> AsksTheHeapWhenItDies(
    const std::shared_ptr<TimerHeap>& timers, std::atomic<int>& deaths) {
  auto target = std::make_shared<ScriptedTarget>();
  target->on_death = [heap = std::weak_ptr<TimerHeap>(timers), &deaths] {
    if (const auto alive = heap.lock()) alive->live();
    ++deaths;
  };
  return target;
}

TEST_F(TimerHeapTest, ATargetDiesOutsideTheLockWhenItIsDisarmed) {
  std::atomic<int> deaths{0};
  const auto handle = timers_->Arm(In(absl::Hours(1)),
                                   AsksTheHeapWhenItDies(timers_, deaths), 1);
  EXPECT_EQ(deaths, 0);
  timers_->Disarm(handle);
  EXPECT_EQ(deaths, 1);
}

TEST_F(TimerHeapTest, ATargetDiesOutsideTheLockWhenItHasFired) {
  std::atomic<int> deaths{0};
  timers_->Arm(Instant(), AsksTheHeapWhenItDies(timers_, deaths), 1);
  Poke();
  target_->Fired(1);
  EXPECT_EQ(deaths, 1);
}

TEST_F(TimerHeapTest, ATargetDiesOutsideTheLockWhenTheHeapStops) {
  std::atomic<int> deaths{0};
  timers_->Arm(In(absl::Hours(1)), AsksTheHeapWhenItDies(timers_, deaths), 1);
  timers_->Stop();
  EXPECT_EQ(deaths, 1);
  EXPECT_EQ(timers_->live(), 0u);
}

TEST_F(TimerHeapTest, StopsWithoutATimerAndTwice) {
  timers_->Stop();
  timers_->Stop();
}

TEST_F(TimerHeapTest, NothingFiresAfterStop) {
  timers_->Arm(In(absl::Hours(1)), target_, 1);
  clock_.Advance(absl::Hours(2));
  timers_->Stop();
  EXPECT_THAT(target_->Fired(0), testing::IsEmpty());
}

// The last owner of everything is a target that is being called.
TEST_F(TimerHeapTest, StopsOnItsOwnThreadAndDiesThere) {
  auto heap = std::make_shared<TimerHeap>(clock_);
  const std::weak_ptr<TimerHeap> watched = heap;
  auto target = std::make_shared<ScriptedTarget>();
  target->on_death = [heap] { heap->Stop(); };
  TimerHeap& armed = *heap;
  heap = nullptr;
  armed.Arm(Instant(), std::move(target), 1);
  EXPECT_TRUE(Eventually([&] { return watched.expired(); }));
}

TEST_F(TimerHeapTest, StopsInsideACallToItsTarget) {
  auto heap = std::make_shared<TimerHeap>(clock_);
  const std::weak_ptr<TimerHeap> watched = heap;
  auto target = std::make_shared<ScriptedTarget>();
  heap->Arm(In(absl::Hours(1)), target_, 2);
  target->on_timer = [stops = heap.get()](int) { stops->Stop(); };
  heap->Arm(Instant(), target, 1);
  EXPECT_TRUE(Eventually([&] { return heap->live() == 0; }));
  heap = nullptr;
  EXPECT_TRUE(Eventually([&] { return watched.expired(); }));
  EXPECT_THAT(target_->Fired(0), testing::IsEmpty());
}

TEST_F(TimerHeapTest, EveryTimerEitherFiresOrIsDisarmed) {
  class Counter final : public TimerTarget {
   public:
    void OnTimer(int) override { ++fired; }
    std::atomic<int> fired{0};
  };
  constexpr int kTimers = 10'000;
  const auto timers = std::make_shared<TimerHeap>(MonotonicClock());
  const auto counter = std::make_shared<Counter>();
  std::atomic<int> disarmed{0};
  {
    SeededRandom random;
    WorkerThreads threads(3);
    for (int i = 0; i < kTimers; ++i) {
      const absl::Duration delay = absl::Microseconds(random() % 20);
      threads.Run([&, delay, spins = random() % 500] {
        const auto handle =
            timers->Arm(MonotonicClock().Now() + delay, counter, 1);
        std::atomic<uint64_t> idle{0};
        while (idle.fetch_add(1) < spins) continue;
        if (timers->Disarm(handle)) ++disarmed;
      });
    }
  }
  EXPECT_EQ(timers->live(), 0u);
  timers->Stop();
  EXPECT_EQ(counter->fired + disarmed, kTimers);
  EXPECT_GT(counter->fired, 0);
  EXPECT_GT(disarmed, 0);
}

}  // namespace
}  // namespace retrykit
