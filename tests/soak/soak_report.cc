#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/soak/soak_run.h"
#include "tests/support/real_time.h"

namespace retrykit {

namespace {

template <typename Count>
std::string Counts(const std::map<std::string, Count>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", name, " ", count);
  }
  return text;
}

double Megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string MemoryText(const SoakFigures& figures) {
  std::string text;
  for (const MemoryUse& use : figures.memory) {
    absl::StrAppendFormat(&text, "%s%.2f (%.0f resident)",
                          text.empty() ? "" : ", ", Megabytes(use.heap),
                          Megabytes(use.resident));
  }
  return text;
}

}  // namespace

std::string SoakText(const SoakFigures& figures) {
  const FaultCounts& faults = figures.faults;
  std::string text = absl::StrFormat(
      "%d calls in %.1f s, %d attempts seen by the server\n", figures.calls,
      absl::ToDoubleSeconds(figures.duration), figures.attempts_seen);
  absl::StrAppend(&text, "codes: ", Counts(figures.ends_by_code), "\n");
  absl::StrAppend(&text, "reasons: ", Counts(figures.ends_by_reason), "\n");
  absl::StrAppend(&text, "styles: ", Counts(figures.calls_by_style), "\n");
  absl::StrAppendFormat(&text,
                        "network: %d connections, %d resets, %d kills, %d "
                        "stalls, %d delays, %.1f MB; breakers changed %d "
                        "times\n",
                        faults.connections, faults.resets, faults.kills,
                        faults.stalls, faults.delays, Megabytes(faults.bytes),
                        figures.breaker_changes);
  absl::StrAppendFormat(
      &text, "later than 50 ms: %d; latest: %.0f ms (call %s)\n",
      figures.late_50ms, absl::ToDoubleMilliseconds(figures.latest),
      figures.latest_call);
  absl::StrAppend(&text, "heap in MB after warm-up and each stage: ",
                  MemoryText(figures), "\n");
  return text;
}

int64_t HeapGrowth(const SoakFigures& figures) {
  return figures.memory.back().heap - figures.memory.front().heap;
}

int64_t HeapTolerance(const SoakSettings& settings) {
  return (int64_t{1} << 20) + int64_t{16} * settings.calls;
}

std::vector<std::string> SoakVerdict(const SoakSettings& settings,
                                     const SoakFigures& figures) {
  std::vector<std::string> wrong = figures.mistakes;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) wrong.push_back(what);
  };
  expect(figures.started == figures.calls && figures.ended == figures.calls &&
             figures.ended_unknown == 0,
         absl::StrCat("of ", figures.calls, " calls, observers saw ",
                      figures.started, " start, ", figures.ended, " end, ",
                      figures.ended_unknown, " of them twice"));
  expect(figures.latest <= kTooLate,
         absl::StrCat("call ", figures.latest_call, " ended ",
                      absl::FormatDuration(figures.latest), " late"));
  expect(figures.timers_left == 0,
         absl::StrCat(figures.timers_left, " timers are left"));
  expect(HeapGrowth(figures) <= HeapTolerance(settings),
         absl::StrCat("the heap grew by ", HeapGrowth(figures), " bytes, ",
                      HeapTolerance(settings), " are tolerated"));
  return wrong;
}

}  // namespace retrykit
