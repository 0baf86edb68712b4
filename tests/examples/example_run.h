// Runs an example as a user does, and reads what its README shows.
//
//   const ExampleRun run = RunExample("examples/chain/chain");
//   EXPECT_EQ(run.exit_code, 0);
//
// Thread-safety: one run at a time.
#ifndef RETRYKIT_TESTS_EXAMPLES_EXAMPLE_RUN_H_
#define RETRYKIT_TESTS_EXAMPLES_EXAMPLE_RUN_H_

#include <map>
#include <set>
#include <string>
#include <vector>

namespace retrykit {

using TextLines = std::vector<std::string>;

struct ExampleRun {
  TextLines lines;  // Standard output.
  int exit_code = -1;
};

ExampleRun RunExample(const std::string& command);

// The block of the README that begins with "$ bazel run", without that line.
TextLines ShownOutput(const std::string& readme);

// "chain: without=27 both=3" as numbers by name; empty if the line does not
// begin with `name` and a colon.
std::map<std::string, double> NumbersOf(const std::string& name,
                                        const std::string& line);

// The lines with each number and each run of blanks made the same.
std::set<std::string> ShapesOf(const TextLines& lines);

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_EXAMPLES_EXAMPLE_RUN_H_
