#include "interceptors/policy/hedge_load.h"

#include <atomic>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"

namespace retrykit {
namespace {

Instant At(absl::Duration since_begin) {
  return Instant() + absl::Hours(1) + since_begin;
}

int HedgesThatPass(HedgeLoad& load, double share, Instant now, int asked) {
  int passed = 0;
  for (int i = 0; i < asked; ++i) passed += load.TryHedge(share, now) ? 1 : 0;
  return passed;
}

TEST(HedgeLoadTest, AQuietMethodMaySendThree) {
  HedgeLoad load;
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::ZeroDuration()), 10), 3);
}

TEST(HedgeLoadTest, AShareOfTheCallsPlusThree) {
  HedgeLoad load;
  for (int i = 0; i < 100; ++i) load.RecordCall(At(absl::ZeroDuration()));
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::Seconds(1)), 50), 13);
}

TEST(HedgeLoadTest, CallsCountForTenSeconds) {
  HedgeLoad load;
  for (int i = 0; i < 100; ++i) load.RecordCall(At(absl::ZeroDuration()));
  HedgeLoad same;
  for (int i = 0; i < 100; ++i) same.RecordCall(At(absl::ZeroDuration()));
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::Seconds(9)), 50), 13);
  EXPECT_EQ(HedgesThatPass(same, 0.1, At(absl::Seconds(10)), 50), 3);
}

TEST(HedgeLoadTest, HedgesCountForTenSeconds) {
  HedgeLoad load;
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::ZeroDuration()), 5), 3);
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::Seconds(9)), 5), 0);
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::Seconds(10)), 5), 3);
}

TEST(HedgeLoadTest, ARefusedHedgeIsNotCounted) {
  HedgeLoad load;
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::ZeroDuration()), 100), 3);
  for (int i = 0; i < 10; ++i) load.RecordCall(At(absl::ZeroDuration()));
  EXPECT_EQ(HedgesThatPass(load, 0.1, At(absl::ZeroDuration()), 100), 1);
}

// It counts in the second that has taken its place.
TEST(HedgeLoadTest, AnEarlierNowDoesNoHarm) {
  HedgeLoad load;
  load.RecordCall(At(absl::Seconds(60)));
  load.RecordCall(At(absl::Seconds(59)));
  load.RecordCall(At(absl::ZeroDuration()));
  EXPECT_EQ(HedgesThatPass(load, 1, At(absl::Seconds(60)), 10), 6);
}

TEST(HedgeLoadTest, ThreadsTogetherStayUnderTheShare) {
  HedgeLoad load;
  for (int i = 0; i < 1000; ++i) load.RecordCall(At(absl::ZeroDuration()));
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      passed += HedgesThatPass(load, 0.1, At(absl::ZeroDuration()), 500);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(passed.load(), 103);
  EXPECT_GE(passed.load(), 100);
}

}  // namespace
}  // namespace retrykit
