#include "interceptors/policy/backoff.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/random/distributions.h"

namespace retrykit {
namespace {

absl::Duration Between(absl::Duration low, absl::Duration high,
                       absl::BitGenRef random) {
  return low + (high - low) * absl::Uniform(random, 0.0, 1.0);
}

// Durations saturate, so an infinite factor ends at the cap too.
absl::Duration ScaledUpTo(absl::Duration cap, absl::Duration duration,
                          double factor) {
  return std::min(cap, duration * factor);
}

// min(C, B * M^(n-1)); pow() gives infinity, never a trap, for any n.
absl::Duration Exponential(const BackoffOptions& options, int n) {
  return ScaledUpTo(options.max_backoff, options.initial_backoff,
                    std::pow(options.multiplier, n - 1));
}

absl::Duration Decorrelated(const BackoffOptions& options,
                            absl::Duration previous, absl::BitGenRef random) {
  const absl::Duration low =
      std::min(options.initial_backoff, options.max_backoff);
  const absl::Duration high = std::max(
      low, ScaledUpTo(options.max_backoff, previous, 2 * options.multiplier));
  // Where the interval is a point, clients would otherwise wait in step.
  return low == high ? Between(0.8 * low, low, random)
                     : Between(low, high, random);
}

}  // namespace

absl::Duration Backoff::Next(const BackoffOptions& options,
                             absl::BitGenRef random) {
  if (retries_ == 0) previous_ = options.initial_backoff;
  if (retries_ < std::numeric_limits<int>::max()) ++retries_;
  previous_ = std::min(Draw(options, random), options.max_backoff);
  return previous_;
}

void Backoff::Reset() { retries_ = 0; }

absl::Duration Backoff::Draw(const BackoffOptions& options,
                             absl::BitGenRef random) const {
  switch (options.jitter) {
    case Jitter::kDecorrelated:
      return Decorrelated(options, previous_, random);
    case Jitter::kFull:
      return Between(absl::ZeroDuration(), Exponential(options, retries_),
                     random);
    case Jitter::kEqual: {
      const absl::Duration whole = Exponential(options, retries_);
      return Between(whole / 2, whole, random);
    }
    case Jitter::kProportional:
      return Exponential(options, retries_) *
             (1 + 0.2 * absl::Uniform(random, -1.0, 1.0));
    case Jitter::kNone:
      break;
  }
  return Exponential(options, retries_);
}

}  // namespace retrykit
