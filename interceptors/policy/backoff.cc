#include "interceptors/policy/backoff.h"

#include <algorithm>

#include "absl/random/distributions.h"

namespace retrykit {
namespace {

// Seconds as doubles in here: no overflow for any growth, and a fraction of the
// price of absl::Duration's exact arithmetic. Up to a month they are exact to
// the quarter of a nanosecond that a Duration has.

// At most `cap`, and `cap` for what is not a number (infinity times zero).
double AtMost(double cap, double seconds) {
  return seconds < cap ? seconds : cap;
}

double Between(double low, double high, absl::BitGenRef random) {
  return low + (high - low) * absl::Uniform(random, 0.0, 1.0);
}

double Decorrelated(double initial, double cap, double multiplier,
                    double previous, absl::BitGenRef random) {
  const double low = AtMost(cap, initial);
  const double high = std::max(low, AtMost(cap, 2 * multiplier * previous));
  // Where the interval is a point, clients would otherwise wait in step.
  return Between(low < high ? low : 0.8 * low, high, random);
}

}  // namespace

absl::Duration Backoff::Next(const BackoffOptions& options,
                             absl::BitGenRef random) {
  const double initial = absl::ToDoubleSeconds(options.initial_backoff);
  const double cap = absl::ToDoubleSeconds(options.max_backoff);
  growth_ = fresh_ ? 1 : growth_ * options.multiplier;
  const double previous = fresh_ ? initial : previous_seconds_;
  const double whole = AtMost(cap, initial * growth_);
  fresh_ = false;

  double drawn = whole;
  switch (options.jitter) {
    case Jitter::kDecorrelated:
      drawn = Decorrelated(initial, cap, options.multiplier, previous, random);
      break;
    case Jitter::kFull:
      drawn = Between(0, whole, random);
      break;
    case Jitter::kEqual:
      drawn = Between(whole / 2, whole, random);
      break;
    case Jitter::kProportional:
      drawn = whole * (1 + 0.2 * absl::Uniform(random, -1.0, 1.0));
      break;
    case Jitter::kNone:
      break;
  }
  previous_seconds_ = AtMost(cap, drawn);
  return std::min(absl::Seconds(previous_seconds_), options.max_backoff);
}

void Backoff::Reset() { fresh_ = true; }

}  // namespace retrykit
