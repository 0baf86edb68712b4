#include "cli/delays.h"

#include <algorithm>
#include <cstddef>

namespace retrykit {
namespace cli {
namespace {

constexpr int kSampledCalls = 20'000;

// `v` is the wait without jitter.
DelaySpread SpreadOf(Jitter jitter, absl::Duration v, absl::Duration cap) {
  switch (jitter) {
    case Jitter::kFull:
      return {absl::ZeroDuration(), 0.5 * v, 0.95 * v, v};
    case Jitter::kEqual:
      return {0.5 * v, 0.75 * v, 0.975 * v, v};
    case Jitter::kProportional:
      return {0.8 * v, v, std::min(1.18 * v, cap), std::min(1.2 * v, cap)};
    default:
      return {v, v, v, v};
  }
}

// The `share` of `sorted` that lies below; not empty.
absl::Duration Quantile(const std::vector<absl::Duration>& sorted,
                        double share) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(share * last)];
}

std::vector<DelaySpread> SampledDelays(const BackoffOptions& options,
                                       int retries, RandomSource& random) {
  std::vector<std::vector<absl::Duration>> waits(
      static_cast<std::size_t>(retries));
  for (int call = 0; call < kSampledCalls; ++call) {
    Backoff backoff;
    for (auto& wait : waits) wait.push_back(backoff.Next(options, random));
  }
  const absl::Duration first =
      std::min(options.initial_backoff, options.max_backoff);
  std::vector<DelaySpread> spreads;
  absl::Duration longest = first;
  for (auto& wait : waits) {
    std::sort(wait.begin(), wait.end());
    longest = std::min(options.max_backoff,
                       std::max(first, 2 * options.multiplier * longest));
    // Where the interval is a point, it is widened downwards.
    const absl::Duration least = longest > first ? first : 0.8 * first;
    spreads.push_back(
        {least, Quantile(wait, 0.5), Quantile(wait, 0.95), longest});
  }
  return spreads;
}

}  // namespace

std::vector<DelaySpread> DelaysOf(const BackoffOptions& options, int retries,
                                  RandomSource& random) {
  if (options.jitter == Jitter::kDecorrelated)
    return SampledDelays(options, retries, random);
  BackoffOptions plain = options;
  plain.jitter = Jitter::kNone;
  Backoff backoff;
  std::vector<DelaySpread> spreads;
  for (int i = 0; i < retries; ++i) {
    spreads.push_back(SpreadOf(options.jitter, backoff.Next(plain, random),
                               options.max_backoff));
  }
  return spreads;
}

}  // namespace cli
}  // namespace retrykit
