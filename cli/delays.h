// How long the waits before a call's retries are.
//
// Thread-safety: pure but for `random`.
#ifndef RETRYKIT_CLI_DELAYS_H_
#define RETRYKIT_CLI_DELAYS_H_

#include <vector>

#include "absl/time/time.h"
#include "interceptors/core/random_source.h"
#include "interceptors/policy/backoff.h"

namespace retrykit {
namespace cli {

// Of the wait before one retry.
struct DelaySpread {
  absl::Duration least;
  absl::Duration median;
  absl::Duration p95;
  absl::Duration most;
};

// One for each of `retries` retries. The least and the most are exact; so are
// the others but under DECORRELATED, where each wait depends on the one before
// it: there they are those of 20,000 calls of the production Backoff.
std::vector<DelaySpread> DelaysOf(const BackoffOptions& options, int retries,
                                  RandomSource& random);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_DELAYS_H_
