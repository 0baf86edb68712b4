#include "interceptors/policy/success_tally.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace retrykit {
namespace {

TEST(SuccessTallyTest, EachSuccessIsDrainedOnce) {
  SuccessTally tally;
  tally.Restart(1);
  EXPECT_EQ(tally.Drain(1), 0);
  for (int i = 0; i < 5; ++i) tally.Add(1);
  EXPECT_EQ(tally.Drain(1), 5);
  EXPECT_EQ(tally.Drain(1), 0);
}

TEST(SuccessTallyTest, OtherGenerationsDoNotCount) {
  SuccessTally tally;
  tally.Restart(5);
  tally.Add(4);
  tally.Add(6);
  EXPECT_EQ(tally.Drain(5), 0);
}

TEST(SuccessTallyTest, RestartEmptiesIt) {
  SuccessTally tally;
  tally.Restart(5);
  tally.Add(5);
  tally.Restart(6);
  tally.Add(5);
  EXPECT_EQ(tally.Drain(6), 0);
  tally.Add(6);
  EXPECT_EQ(tally.Drain(6), 1);
}

TEST(SuccessTallyTest, GenerationsBeyondThirtyTwoBitsWork) {
  SuccessTally tally;
  const uint64_t generation = (uint64_t{1} << 40) + 3;
  tally.Restart(generation);
  tally.Add(generation);
  tally.Add(generation - 1);
  EXPECT_EQ(tally.Drain(generation), 1);
}

// More threads than counters, and drains in between.
TEST(SuccessTallyTest, TwelveThreadsLoseNone) {
  SuccessTally tally;
  tally.Restart(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&tally] {
      for (int k = 0; k < 5000; ++k) tally.Add(1);
    });
  }
  int64_t drained = 0;
  for (int i = 0; i < 100; ++i) drained += tally.Drain(1);
  for (std::thread& thread : threads) thread.join();
  drained += tally.Drain(1);
  EXPECT_EQ(drained, 60'000);
}

}  // namespace
}  // namespace retrykit
