// Runs the streaming example: it prints what its README shows.
#include "gtest/gtest.h"
#include "tests/examples/example_run.h"

namespace retrykit {
namespace {

TEST(StreamingExample, PrintsWhatItsReadmeShows) {
  const ExampleRun run = RunExample("examples/streaming/streaming");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.lines, ShownOutput("examples/streaming/README.md"));
}

}  // namespace
}  // namespace retrykit
