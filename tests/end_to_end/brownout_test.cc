#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "tests/benchmark/brownout_run.h"
#include "tests/benchmark/brownout_server.h"

namespace retrykit {
namespace {

TEST(BrownoutTest, F01_LoadStaysNearTheOfferedAndSuccessComesBack) {
  // Time to spare, for a busy machine.
  const BrownoutServer server(/*capacity=*/200);
  const BrownoutVariant variant = BrownoutVariants(server.address()).back();
  ASSERT_EQ(variant.name, "retrykit");
  BrownoutPlan plan;
  plan.before = absl::Seconds(1);
  plan.outage = absl::Seconds(3);
  const BrownoutFigures figures =
      RunBrownout(variant.name, variant.channel, server.address(), plan);
  EXPECT_GT(figures.offered_in_outage, 1000);
  EXPECT_LE(figures.amplification(), 1.1);
  EXPECT_LE(figures.recovery, 2 * kBrownoutOpenDuration);
  EXPECT_GT(figures.success, 0.5);
}

}  // namespace
}  // namespace retrykit
