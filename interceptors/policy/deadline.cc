#include "interceptors/policy/deadline.h"

#include <algorithm>

namespace retrykit {
namespace {

// How long an attempt without a per-attempt timeout must have run before its
// end by the call's own deadline says anything about the server.
constexpr absl::Duration kPatience = absl::Milliseconds(100);

// How much earlier than `limit` a peer's clock may end an attempt.
absl::Duration Tolerance(absl::Duration limit) {
  return std::max(absl::Milliseconds(5), 0.05 * limit);
}

bool IsDeadlineExceeded(absl::StatusCode code) {
  return code == absl::StatusCode::kDeadlineExceeded;
}

// `now` is within the tolerance before `limit` after the start, or later.
bool About(const AttemptLimits& limits, absl::Duration limit, Instant now) {
  return now - limits.start >= limit - Tolerance(limit);
}

}  // namespace

Instant AttemptLimits::deadline() const {
  return own_timeout_is_limit() ? start + per_attempt : overall;
}

bool AttemptLimits::own_timeout_is_limit() const {
  return per_attempt < overall - start;
}

bool EndedByOwnTimeout(const AttemptLimits& limits, absl::StatusCode code,
                       Instant now) {
  return IsDeadlineExceeded(code) && limits.own_timeout_is_limit() &&
         About(limits, limits.per_attempt, now);
}

bool EndedByOverallDeadline(const AttemptLimits& limits, absl::StatusCode code,
                            Instant now) {
  if (limits.overall.is_infinite()) return false;
  if (now >= limits.overall) return true;
  return IsDeadlineExceeded(code) && !limits.own_timeout_is_limit() &&
         About(limits, limits.overall - limits.start, now);
}

bool CutShortByCall(const AttemptLimits& limits, absl::StatusCode code,
                    Instant now) {
  const absl::Duration patience = limits.per_attempt < absl::InfiniteDuration()
                                      ? limits.per_attempt
                                      : kPatience;
  return IsDeadlineExceeded(code) && now - limits.start < patience &&
         EndedByOverallDeadline(limits, code, now);
}

}  // namespace retrykit
