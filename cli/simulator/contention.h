// The experiment of "Exponential Backoff And Jitter" (AWS Architecture Blog,
// 2015): clients that want to change one row, with optimistic concurrency. A
// client reads the row's version and writes with it; a write whose version is
// no longer the row's fails, and the client waits and begins anew.
//
// The waits are the production Backoff's.
//
// Thread-safety: reentrant.
#ifndef RETRYKIT_CLI_SIMULATOR_CONTENTION_H_
#define RETRYKIT_CLI_SIMULATOR_CONTENTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "cli/simulator/simulation.h"
#include "interceptors/policy/backoff.h"

namespace retrykit {
namespace cli {

struct ContentionOptions {
  int clients = 100;
  int runs = 100;
  uint64_t seed = 1;
};

// One way to wait.
struct ContentionRow {
  std::string name;
  absl::optional<BackoffOptions> backoff;  // Unset: no wait at all.
  double calls = 0;  // Writes until all have succeeded, mean of the runs.
  double milliseconds = 0;  // Until all have succeeded, mean of the runs.
};

// The article's: a network hop takes normal(10, 2) ms, base 5 ms, cap 2 s; the
// first exponential wait is at most 10 ms; DECORRELATED with multiplier 1.5.
std::vector<ContentionRow> RunContention(const ContentionOptions& options,
                                         const Progress& progress);

std::string ContentionTable(const ContentionOptions& options,
                            const std::vector<ContentionRow>& rows);
std::string ContentionJson(const ContentionOptions& options,
                           const std::vector<ContentionRow>& rows);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_CONTENTION_H_
