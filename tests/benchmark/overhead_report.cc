#include "tests/benchmark/overhead_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace retrykit {
namespace {

// All that there are ratios of.
constexpr double Cost::*kParts[] = {&Cost::p50, &Cost::throughput, &Cost::cpu,
                                    &Cost::allocations};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

template <typename ValueOf>
double MedianOf(const std::vector<Round>& rounds, const ValueOf& value_of) {
  std::vector<double> values;
  for (const Round& round : rounds) values.push_back(value_of(round));
  return Median(std::move(values));
}

Cost MedianRatio(const std::vector<Round>& rounds, size_t variant) {
  const auto ratio = [&](double Cost::*part) {
    return MedianOf(rounds, [&](const Round& round) {
      return round[variant].*part / round[0].*part;
    });
  };
  Cost cost;
  for (const auto part : kParts) cost.*part = ratio(part);
  return cost;
}

Cost MedianPlain(const std::vector<Round>& rounds) {
  const auto median = [&](double Cost::*part) {
    return MedianOf(rounds, [&](const Round& round) { return round[0].*part; });
  };
  Cost cost;
  for (const auto part : kParts) cost.*part = median(part);
  return cost;
}

const char* WorkloadText(const Load& load) {
  return load.failing ? "failing" : "ok";
}

}  // namespace

std::vector<Cost> MedianRatios(const std::vector<Round>& rounds) {
  std::vector<Cost> ratios;
  for (size_t variant = 1; variant < rounds.front().size(); ++variant) {
    ratios.push_back(MedianRatio(rounds, variant));
  }
  return ratios;
}

std::string JsonLines(const std::vector<std::string>& names, const Load& load,
                      const std::vector<Round>& rounds) {
  const std::vector<Cost> ratios = MedianRatios(rounds);
  std::string text;
  for (size_t i = 0; i < ratios.size(); ++i) {
    absl::StrAppendFormat(
        &text,
        "{\"variant\": \"%s\", \"api\": \"%s\", \"threads\": %d, "
        "\"workload\": \"%s\", \"p50\": %.3f, \"throughput\": %.3f, "
        "\"cpu\": %.3f, \"allocations\": %.3f}\n",
        names[i + 1], load.api, load.threads, WorkloadText(load), ratios[i].p50,
        ratios[i].throughput, ratios[i].cpu, ratios[i].allocations);
  }
  return text;
}

std::string Table(const std::vector<std::string>& names, const Load& load,
                  const std::vector<Round>& rounds) {
  std::string text = absl::StrFormat(
      "%-22s%12s%14s%12s%14s\n",
      absl::StrCat(load.api, ", ", load.threads,
                   load.threads == 1 ? " thread, " : " threads, ",
                   WorkloadText(load)),
      "p50", "throughput", "cpu", "allocations");
  const Cost plain = MedianPlain(rounds);
  absl::StrAppendFormat(&text, "  %-20s%9.0f us%12.0f/s%9.0f us%14.1f\n",
                        names[0], plain.p50 * 1e6, plain.throughput,
                        plain.cpu * 1e6, plain.allocations);
  const std::vector<Cost> ratios = MedianRatios(rounds);
  for (size_t i = 0; i < ratios.size(); ++i) {
    absl::StrAppendFormat(&text, "  %-20s%12.3f%14.3f%12.3f%14.3f\n",
                          names[i + 1], ratios[i].p50, ratios[i].throughput,
                          ratios[i].cpu, ratios[i].allocations);
  }
  return text;
}

}  // namespace retrykit
