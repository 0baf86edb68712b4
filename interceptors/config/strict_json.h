// JSON as RFC 8259 has it and nothing beside: no comments, no trailing commas,
// no single quotes, no bare keys, no byte order mark, no NaN, no NUL byte, no
// invalid UTF-8. A key may stand once in its object.
//
// The verdict does not depend on the JSON library's version: what libraries
// disagree on (byte order marks, NUL bytes, doubled keys, depth) is decided
// here.
//
// Thread-safety: pure.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_STRICT_JSON_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_STRICT_JSON_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "interceptors/config/json_value.h"

namespace retrykit {

// Objects and arrays inside one another; gRPC core's limit too.
constexpr int kMaxJsonDepth = 255;

// Takes time linear in the text's length.
// Errors: InvalidArgument with the first place that is wrong: "JSON parsing
// failed: line 3, column 5: trailing comma". A number beyond a double's range
// (1e400) is one.
absl::StatusOr<JsonValue> ParseStrictJson(absl::string_view text);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_STRICT_JSON_H_
