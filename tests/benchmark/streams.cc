// What retrykit costs per message of a stream, beside a plain channel.
//
//   bazel run -c opt //tests/benchmark:streams
//   bazel run -c opt //tests/benchmark:streams -- --json --rounds=30
//
// As overhead: both channels take turns in short blocks against one server
// process, and what is reported are medians of the ratios in the same round.
// Never part of a test's verdict.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "tests/benchmark/overhead_report.h"
#include "tests/benchmark/overhead_server.h"
#include "tests/benchmark/overhead_variants.h"
#include "tests/benchmark/streams_block.h"

ABSL_FLAG(bool, json, false, "one JSON object per line instead of a table");
ABSL_FLAG(int, rounds, 15, "rounds of one block per variant");
ABSL_FLAG(double, seconds, 0.2, "length of a block");
ABSL_FLAG(std::vector<std::string>, kinds,
          (std::vector<std::string>{"server_stream", "client_stream",
                                    "ping_pong"}),
          "which streams");
ABSL_FLAG(std::vector<std::string>, bytes,
          (std::vector<std::string>{"64", "65536"}), "sizes of messages");
ABSL_FLAG(std::vector<std::string>, apis,
          (std::vector<std::string>{"sync", "cq", "callback"}),
          "which of the stub's APIs");
ABSL_FLAG(std::string, variant, "", "for profiles: this one alone, once");
ABSL_FLAG(int, serve, -1, "for the program itself: be the server");

namespace retrykit {
namespace {

Cost RunOne(const Variant& variant, const StreamLoad& load) {
  const Cost cost = RunStreamBlock(variant.channel, load,
                                   absl::Seconds(absl::GetFlag(FLAGS_seconds)));
  if (cost.failed == 0) return cost;
  std::fprintf(stderr, "%s: the %s of %d bytes through %s broke\n",
               variant.name.c_str(), load.kind.c_str(), load.bytes,
               load.api.c_str());
  std::exit(2);
}

// Forwards and backwards in turn, so that a drift favours nobody.
std::vector<Round> RunRounds(const std::vector<Variant>& variants,
                             const StreamLoad& load) {
  std::vector<Round> rounds;
  for (int i = 0; i <= absl::GetFlag(FLAGS_rounds); ++i) {
    Round round(variants.size());
    for (size_t j = 0; j < variants.size(); ++j) {
      const size_t turn = i % 2 == 1 ? variants.size() - 1 - j : j;
      round[turn] = RunOne(variants[turn], load);
    }
    if (i > 0) rounds.push_back(round);  // The first is to warm up.
  }
  return rounds;
}

std::vector<StreamLoad> Loads() {
  std::vector<StreamLoad> loads;
  for (const std::string& kind : absl::GetFlag(FLAGS_kinds)) {
    for (const std::string& bytes : absl::GetFlag(FLAGS_bytes)) {
      for (const std::string& api : absl::GetFlag(FLAGS_apis)) {
        loads.push_back({kind, std::stoi(bytes), api});
      }
    }
  }
  return loads;
}

// The plain channel, and retrykit with a retry policy.
std::vector<Variant> ChosenVariants(const std::string& address) {
  const std::string only = absl::GetFlag(FLAGS_variant);
  std::vector<Variant> chosen;
  for (const Variant& variant : MakeVariants(address)) {
    const bool wanted = only.empty()
                            ? variant.name == "plain" || variant.name == "retry"
                            : variant.name == only;
    if (wanted) chosen.push_back(variant);
  }
  return chosen;
}

void Print(const StreamLoad& load, const Cost& plain, const Cost& ratio) {
  if (absl::GetFlag(FLAGS_json)) {
    absl::PrintF(
        "{\"kind\": \"%s\", \"message_bytes\": %d, \"api\": \"%s\", "
        "\"throughput\": %.3f, \"p50\": %.3f, \"cpu\": %.3f}\n",
        load.kind, load.bytes, load.api, ratio.throughput, ratio.p50,
        ratio.cpu);
  } else {
    absl::PrintF("%-14s%7d B  %-9s%10.0f/s%9.3f%9.3f%9.3f\n", load.kind,
                 load.bytes, load.api, plain.throughput, ratio.throughput,
                 ratio.p50, ratio.cpu);
  }
  std::fflush(stdout);
}

int Run(const std::string& address) {
  const std::vector<Variant> variants = ChosenVariants(address);
  if (variants.empty() || absl::GetFlag(FLAGS_rounds) < 1) {
    absl::FPrintF(stderr, "nothing to run; see --help\n");
    return 2;
  }
  if (!absl::GetFlag(FLAGS_json)) {
    absl::PrintF("%-34s%12s%9s%9s%9s\n", "", "plain", "through-", "p50", "cpu");
    absl::PrintF("%-34s%12s%9s\n", "", "", "put");
  }
  for (const StreamLoad& load : Loads()) {
    const std::vector<Round> rounds = RunRounds(variants, load);
    const Cost& plain = rounds.back().front();
    Print(load, plain,
          variants.size() > 1 ? MedianRatios(rounds).front() : plain);
  }
  return 0;
}

}  // namespace
}  // namespace retrykit

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const int serve = absl::GetFlag(FLAGS_serve);
  if (serve >= 0) retrykit::RunOverheadServer(serve);
  return retrykit::Run(retrykit::OverheadServer().address());
}
