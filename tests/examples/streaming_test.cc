// Runs the streaming example: it prints what its README shows.
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;

TEST(StreamingExample, PrintsWhatItsReadmeShows) {
  FILE* const output = popen("examples/streaming/streaming", "r");
  ASSERT_NE(output, nullptr);
  std::string text;
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof(part), output)) {
    text.append(part, size);
  }
  const int status = pclose(output);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  std::ifstream file("examples/streaming/README.md");
  const std::string readme{std::istreambuf_iterator<char>(file),
                           std::istreambuf_iterator<char>()};
  EXPECT_THAT(readme,
              HasSubstr("$ bazel run //examples/streaming\n" + text + "```"));
}

}  // namespace
