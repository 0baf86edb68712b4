// The long soak.
//
//   bazel run -c opt //tests/soak:soak
//   bazel run -c opt //tests/soak:soak -- --calls=20000 --seed=7
//
// Exit status 1 if anything is wrong; it says what.

#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "tests/soak/soak_run.h"

ABSL_FLAG(int, calls, 100000, "calls after the warm-up");
ABSL_FLAG(int, warm_up, 5000, "calls before memory is first measured");
ABSL_FLAG(int, stages, 10, "how often memory is measured");
ABSL_FLAG(int, threads, 64, "that make one call after the other");
ABSL_FLAG(uint64_t, seed, 20210823, "for everything that is drawn");

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  retrykit::SoakSettings settings;
  settings.calls = absl::GetFlag(FLAGS_calls);
  settings.warm_up = absl::GetFlag(FLAGS_warm_up);
  settings.stages = absl::GetFlag(FLAGS_stages);
  settings.threads = absl::GetFlag(FLAGS_threads);
  settings.seed = absl::GetFlag(FLAGS_seed);
  const auto figures = retrykit::RunSoak(settings, /*progress=*/true);
  std::fputs(retrykit::SoakText(figures).c_str(), stdout);
  const auto wrong = retrykit::SoakVerdict(settings, figures);
  for (const std::string& what : wrong)
    std::printf("WRONG: %s\n", what.c_str());
  return wrong.empty() ? 0 : 1;
}
