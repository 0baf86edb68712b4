// What retrykit costs per call, beside a plain channel and gRPC's own retries.
//
//   bazel run -c opt //tests/benchmark:overhead
//   bazel run -c opt //tests/benchmark:overhead -- --json --rounds=40
//
// The variants take turns in short blocks, forwards and backwards, in one
// client process against one server process. What is reported are medians over
// the rounds of the ratios to the plain channel in the same round, so that
// whatever else the machine does meets all of them alike. Never part of a
// test's verdict.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/time.h"
#include "tests/benchmark/overhead_block.h"
#include "tests/benchmark/overhead_report.h"
#include "tests/benchmark/overhead_server.h"
#include "tests/benchmark/overhead_variants.h"

ABSL_FLAG(bool, json, false, "one JSON object per line instead of tables");
ABSL_FLAG(int, rounds, 20, "rounds of one block per variant");
ABSL_FLAG(double, seconds, 0.17, "length of a block");
ABSL_FLAG(std::vector<std::string>, apis,
          (std::vector<std::string>{"sync", "cq", "callback"}),
          "which of the stub's APIs");
ABSL_FLAG(std::vector<std::string>, threads,
          (std::vector<std::string>{"1", "8"}), "how many threads call");
ABSL_FLAG(std::vector<std::string>, workloads,
          (std::vector<std::string>{"ok", "failing"}),
          "ok: all calls succeed; failing: every third fails once");
ABSL_FLAG(std::vector<std::string>, variants,
          (std::vector<std::string>{"plain", "core_retries", "passthrough",
                                    "retry"}),
          "which variants, \"hedge\" and \"retry_prometheus\" too; ratios are "
          "to the first");
ABSL_FLAG(std::string, address, "",
          "a server that runs already (this program with --serve=1), for "
          "profilers that cannot start one");
ABSL_FLAG(int, serve, -1, "for the program itself: be the server");

namespace retrykit {
namespace {

// A run in which calls fail that should not says nothing about their cost.
void CheckCalls(const Variant& variant, const Load& load, const Cost& cost) {
  const bool retries = variant.name != "plain" && variant.name != "passthrough";
  if (cost.failed == 0 || (load.failing && !retries)) return;
  std::fprintf(stderr, "%s: %.1f %% of the calls failed\n",
               variant.name.c_str(), cost.failed * 100);
  std::exit(2);
}

// Forwards and backwards in turn, so that a drift favours nobody.
Round RunRound(const std::vector<Variant>& variants, const Load& load,
               bool backwards) {
  const absl::Duration length = absl::Seconds(absl::GetFlag(FLAGS_seconds));
  Round round(variants.size());
  for (size_t i = 0; i < variants.size(); ++i) {
    const size_t turn = backwards ? variants.size() - 1 - i : i;
    round[turn] = RunBlock(variants[turn].channel, load, length);
    CheckCalls(variants[turn], load, round[turn]);
  }
  return round;
}

std::vector<Round> RunRounds(const std::vector<Variant>& variants,
                             const Load& load) {
  RunRound(variants, load, /*backwards=*/false);  // To warm up.
  std::vector<Round> rounds;
  for (int i = 0; i < absl::GetFlag(FLAGS_rounds); ++i) {
    rounds.push_back(RunRound(variants, load, i % 2 == 1));
  }
  return rounds;
}

std::vector<Load> Loads() {
  std::vector<Load> loads;
  for (const std::string& workload : absl::GetFlag(FLAGS_workloads)) {
    for (const std::string& api : absl::GetFlag(FLAGS_apis)) {
      for (const std::string& threads : absl::GetFlag(FLAGS_threads)) {
        loads.push_back({api, std::stoi(threads), workload == "failing"});
      }
    }
  }
  return loads;
}

std::vector<Variant> ChosenVariants(const std::string& address) {
  std::vector<Variant> all = MakeVariants(address);
  const std::vector<std::string> names = absl::GetFlag(FLAGS_variants);
  std::vector<Variant> chosen;
  for (const std::string& name : names) {
    for (const Variant& variant : all) {
      if (variant.name == name) chosen.push_back(variant);
    }
  }
  return chosen;
}

int Run(const std::string& address) {
  const std::vector<Variant> variants = ChosenVariants(address);
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.push_back(variant.name);
  if (names.empty() || absl::GetFlag(FLAGS_rounds) < 1) {
    std::fprintf(stderr, "nothing to run; see --help\n");
    return 2;
  }
  for (const Load& load : Loads()) {
    const std::vector<Round> rounds = RunRounds(variants, load);
    const std::string text = absl::GetFlag(FLAGS_json)
                                 ? JsonLines(names, load, rounds)
                                 : Table(names, load, rounds) + "\n";
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace retrykit

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const int serve = absl::GetFlag(FLAGS_serve);
  if (serve >= 0) retrykit::RunOverheadServer(serve);
  const std::string address = absl::GetFlag(FLAGS_address);
  if (!address.empty()) return retrykit::Run(address);
  return retrykit::Run(retrykit::OverheadServer().address());
}
