#include "interceptors/core/random_source.h"

#include <cstdint>
#include <limits>
#include <set>
#include <thread>

#include "gtest/gtest.h"

namespace retrykit {
namespace {

TEST(SystemRandomTest, CoversAllSixtyFourBits) {
  EXPECT_EQ(RandomSource::min(), 0u);
  EXPECT_EQ(RandomSource::max(), std::numeric_limits<uint64_t>::max());
  uint64_t seen_ones = 0;
  uint64_t seen_zeros = 0;
  for (int i = 0; i < 200; ++i) {
    const uint64_t drawn = SystemRandom()();
    seen_ones |= drawn;
    seen_zeros |= ~drawn;
  }
  EXPECT_EQ(seen_ones, RandomSource::max());
  EXPECT_EQ(seen_zeros, RandomSource::max());
}

TEST(SystemRandomTest, ThreadsDoNotDrawTheSameNumbers) {
  std::set<uint64_t> drawn;
  for (int i = 0; i < 8; ++i) {
    std::thread([&drawn] {
      for (int k = 0; k < 100; ++k) drawn.insert(SystemRandom()());
    }).join();
  }
  EXPECT_EQ(drawn.size(), 800u);
}

}  // namespace
}  // namespace retrykit
