// The rules that fields of many messages have in common, in gRPC core's words.
//
// Each takes whether the field is there, its value and its key, and gives the
// value where it is there and sound. Where the reader has already said
// something about the field, nothing more is said.
//
//   auto window = PositiveDuration(breaker.has_window(), breaker.window(),
//                                  "window", errors);
//   if (window) options.window = *window;
//
// Thread-safety: pure but for `errors`, whose path must be the message's.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_FIELD_RULES_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_FIELD_RULES_H_

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/repeated_field.h"
#include "interceptors/config/config_errors.h"
#include "interceptors/core/status_code_set.h"

namespace retrykit {

absl::Duration ToDuration(const google::protobuf::Duration& duration);

// Whether something has been said about the message's field `key`.
bool HasErrorsAt(absl::string_view key, ConfigErrors& errors);

// Records `error` at the message's field `key`.
void AddAt(absl::string_view key, absl::string_view error,
           ConfigErrors& errors);

// "field not present", unless something else has been said about it.
void RequireField(bool has, absl::string_view key, ConfigErrors& errors);

// "must be greater than 0".
absl::optional<absl::Duration> PositiveDuration(
    bool has, const google::protobuf::Duration& value, absl::string_view key,
    ConfigErrors& errors);

// "must be at least `least`", "must be at most `most`".
absl::optional<int> IntBetween(bool has, int value, int least, int most,
                               absl::string_view key, ConfigErrors& errors);

// "must be greater than 0".
absl::optional<double> PositiveNumber(bool has, double value,
                                      absl::string_view key,
                                      ConfigErrors& errors);

// In (0, 1].
absl::optional<double> Share(bool has, double value, absl::string_view key,
                             ConfigErrors& errors);

// A list of status codes without OK.
StatusCodeSet FailureCodes(const google::protobuf::RepeatedField<int>& codes,
                           absl::string_view key, ConfigErrors& errors);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_FIELD_RULES_H_
