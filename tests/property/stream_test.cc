// The stream engine's promises, on thousands of scripts that no one would
// write.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/property/stream_script.h"

namespace retrykit {
namespace {

constexpr uint64_t kScripts = 5000;

TEST(EveryStream, KeepsOrderLosesNothingAndStaysWithinTheLimits) {
  for (uint64_t seed = 0; seed < kScripts; ++seed) {
    ASSERT_EQ(PlayStreamScript(RandomStreamScript(seed)), "") << seed;
  }
}

// Promises about what never happens are cheap.
TEST(TheStreamScripts, ReachWhatThePromisesAreAbout) {
  StreamCoverage coverage;
  for (uint64_t seed = 0; seed < kScripts; ++seed) {
    PlayStreamScript(RandomStreamScript(seed), &coverage);
  }
  EXPECT_GT(coverage.retries, 500);
  EXPECT_GT(coverage.replayed, 500);
  EXPECT_GT(coverage.delivered, 500);
  EXPECT_GT(coverage.forgotten_over_limit, 50);
  EXPECT_GT(coverage.finished_well, 50);
  EXPECT_GT(coverage.hedges, 200);
}

}  // namespace
}  // namespace retrykit
