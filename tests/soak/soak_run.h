// A whole soak: a server, a fault proxy before it, two toolkits, and threads
// that make calls of all kinds and styles.
//
//   SoakFigures figures = RunSoak(SoakSettings());
//   EXPECT_THAT(figures.mistakes, ElementsAre());
#ifndef TESTS_SOAK_SOAK_RUN_H_
#define TESTS_SOAK_SOAK_RUN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/soak/soak_memory.h"
#include "tests/support/proxied_connection.h"

namespace retrykit {

struct SoakSettings {
  int warm_up = 3000;  // Calls before memory is first measured.
  int calls = 9000;    // After that.
  int stages = 3;      // `calls` in so many parts; memory is measured after
                       // each, when no call is under way.
  int threads = 32;    // That make one call after the other.
  uint64_t seed = 20210823;
};

struct SoakFigures {
  std::map<std::string, int> ends_by_code;
  std::map<std::string, int> calls_by_style;
  int calls = 0;
  int64_t attempts_seen = 0;  // By the server.
  int64_t started = 0;        // As the observers were told.
  int64_t ended = 0;
  int64_t ended_unknown = 0;  // Ended twice, or without a start.
  std::map<std::string, int64_t> ends_by_reason;
  int64_t breaker_changes = 0;
  int late_50ms = 0;  // Ended more than 50 ms after deadline or cancellation.
  absl::Duration latest = absl::ZeroDuration();
  std::string latest_call;
  std::vector<std::string> mistakes;  // The first few.
  FaultCounts faults;
  std::vector<MemoryUse> memory;  // After the warm-up and each stage.
  size_t timers_left = 0;
  absl::Duration duration = absl::ZeroDuration();
};

// Progress goes to standard error if `progress`.
SoakFigures RunSoak(const SoakSettings& settings, bool progress = false);

// For people, several lines.
std::string SoakText(const SoakFigures& figures);

// Bytes of heap in use that came after the warm-up.
int64_t HeapGrowth(const SoakFigures& figures);

// The most that the heap may have grown: what a soak must not exceed.
int64_t HeapTolerance(const SoakSettings& settings);

// What is wrong, in words; empty: the soak has passed.
std::vector<std::string> SoakVerdict(const SoakSettings& settings,
                                     const SoakFigures& figures);

}  // namespace retrykit

#endif  // TESTS_SOAK_SOAK_RUN_H_
