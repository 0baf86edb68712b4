// Load and success through an outage: a plain channel, gRPC's own retries and
// retrykit, one after the other, against a server in a process of its own.
//
//   bazel run -c opt //tests/benchmark:brownout -- --svg=/tmp/brownout.svg
//
// Exit status 1 if retrykit misses a target.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/time.h"
#include "tests/benchmark/brownout_report.h"
#include "tests/benchmark/brownout_run.h"
#include "tests/benchmark/brownout_server.h"
#include "tests/benchmark/overhead_server.h"
#include "tests/support/real_time.h"

ABSL_FLAG(bool, json, false, "one JSON object per line instead of a table");
ABSL_FLAG(std::string, svg, "", "a file for load and success over time");
ABSL_FLAG(int, rate, 10, "calls per client and second");
ABSL_FLAG(double, outage, 3, "seconds");
ABSL_FLAG(int, serve, -1, "for the program itself: be the server");

namespace retrykit {
namespace {

[[noreturn]] void Serve(int pipe) {
  const BrownoutServer server;
  const int port = server.port();
  if (write(pipe, &port, sizeof(port)) != sizeof(port)) std::exit(2);
  // The benchmark ends this process.
  for (;;) LetPass(absl::Hours(1));
}

int Run() {
  const OverheadServer process;
  BrownoutPlan plan;
  plan.rate = absl::GetFlag(FLAGS_rate);
  plan.outage = absl::Seconds(absl::GetFlag(FLAGS_outage));
  std::vector<BrownoutFigures> all;
  for (const auto& [name, channel] : BrownoutVariants(process.address())) {
    all.push_back(RunBrownout(name, channel, process.address(), plan));
  }
  const std::string text =
      absl::GetFlag(FLAGS_json) ? BrownoutJsonLines(all) : BrownoutTable(all);
  std::fputs(text.c_str(), stdout);
  const std::string svg = absl::GetFlag(FLAGS_svg);
  if (!svg.empty()) std::ofstream(svg) << BrownoutSvg(all, plan);
  const std::vector<std::string> missed = BrownoutMissed(all);
  for (const auto& what : missed) std::fprintf(stderr, "%s\n", what.c_str());
  return missed.empty() ? 0 : 1;
}

}  // namespace
}  // namespace retrykit

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const int serve = absl::GetFlag(FLAGS_serve);
  if (serve >= 0) retrykit::Serve(serve);
  return retrykit::Run();
}
