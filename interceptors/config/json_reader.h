// Reads JSON into a message of the schema, led by the message's descriptor.
//
// The reader knows types, not meanings: a key is a field's JSON name, a value
// must have the field's type, an enum is one of its names. Ranges, required
// fields and what excludes what are the validators' (validate.h).
//
// Beyond proto3's JSON: StatusCode is accepted in any case and as a number
// (gRFC A6), numbers may stand in strings, Decimal is a number kept as text,
// CoreJson is anything.
//
// Thread-safety: pure but for `errors`.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_JSON_READER_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_JSON_READER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "interceptors/config/config_errors.h"
#include "interceptors/config/json_value.h"
#include "proto/retrykit/v1/service_config.pb.h"

namespace retrykit {

// A key of the text as it is shown: short, and without control characters.
std::string ShownKey(absl::string_view key);

// Fills `config` with what is sound and records the rest. A broken element of
// a list leaves an empty one, so that indexes stay those of the text.
// Returns the indexes in `value` of top-level keys that nobody knows and that
// resemble none: gRPC may have added such a part.
std::vector<std::size_t> ReadServiceConfig(const JsonValue& value,
                                           v1::ServiceConfig& config,
                                           ConfigErrors& errors);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_JSON_READER_H_
