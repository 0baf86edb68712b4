// The way of every call through the policy table, and of a file into it.
//
// Aims: Find takes at most 50 ns and allocates nothing, with one thread and
// with two; a file with 1,000 methods is read in less than 100 ms.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "interceptors/config/config.h"
#include "tests/benchmark/overhead_allocations.h"

namespace retrykit {
namespace {

// A file with one entry for each of `methods` methods, and one per service.
std::string File(int methods) {
  std::string json =
      R"({"retryThrottling":{"maxTokens":100,"tokenRatio":0.1},)"
      R"("methodConfig":[{"name":[{"service":"shop.v1.Service"}],)"
      R"("timeout":"1s"})";
  for (int i = 0; i < methods; ++i) {
    absl::StrAppend(
        &json, R"(,{"name":[{"service":"shop.v1.Service)", i % 20,
        R"(","method":"Method)", i,
        R"("}],"timeout":"2s","retryPolicy":{"maxAttempts":4,)"
        R"("initialBackoff":"0.05s","maxBackoff":"1s","backoffMultiplier":1.5,)"
        R"("retryableStatusCodes":["UNAVAILABLE"]},"retrykit":{)"
        R"("perAttemptTimeout":"0.5s","circuitBreaker":{"window":"10s"}}})");
  }
  return json + "]}";
}

const PolicyTable& Table() {
  static const auto& config = *new ParsedConfig(*ParseConfig(File(1000)));
  return *config.table;
}

void Find(benchmark::State& state, const std::string& method) {
  const PolicyTable& table = Table();
  table.Find(method);
  const uint64_t before = Allocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.Find(method));
  }
  // Benchmark's own few are in it, whatever the number of iterations.
  state.counters["allocations"] = static_cast<double>(Allocations() - before);
}

void FindMethod(benchmark::State& state) {
  Find(state, "/shop.v1.Service7/Method7");
}
BENCHMARK(FindMethod)->Threads(1)->Threads(2);

// Two threads, each with a method of its own.
void FindOtherMethods(benchmark::State& state) {
  Find(state, state.thread_index() == 0 ? "/shop.v1.Service7/Method7"
                                        : "/shop.v1.Service8/Method8");
}
BENCHMARK(FindOtherMethods)->Threads(2);

void FindService(benchmark::State& state) {
  Find(state, "/shop.v1.Service/Method7");
}
BENCHMARK(FindService)->Threads(1)->Threads(2);

void FindNothing(benchmark::State& state) {
  Find(state, "/other.v1.Service/Method7");
}
BENCHMARK(FindNothing)->Threads(1)->Threads(2);

void ParseThousandMethods(benchmark::State& state) {
  const std::string file = File(1000);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ParseConfig(file).ok());
  }
  state.SetBytesProcessed(static_cast<int64_t>(file.size()) *
                          static_cast<int64_t>(state.iterations()));
}
BENCHMARK(ParseThousandMethods)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace retrykit
