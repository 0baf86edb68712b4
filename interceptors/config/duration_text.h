// Durations as a service config writes them: "1.5s".
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_DURATION_TEXT_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_DURATION_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace retrykit {

// Digits, perhaps a point and one to nine digits, then "s"; from 0 to
// 315576000000 s. Nothing is rounded.
// Errors: InvalidArgument, in gRPC core's words. A sign and blanks are errors
// (core takes some of them, and loses the sign of "-0.5s").
absl::StatusOr<absl::Duration> ParseDurationText(absl::string_view text);

// The shortest such text for `duration` (whole nanoseconds, >= 0): "0.05s".
std::string DurationText(absl::Duration duration);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_DURATION_TEXT_H_
