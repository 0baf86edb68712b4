// The words of the schema: which keys and enum values there are, and where.
//
// Thread-safety: pure functions on descriptors.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_SCHEMA_WORDS_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_SCHEMA_WORDS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"

namespace retrykit {

// The field of `message` whose JSON name is `key`; null: none.
const google::protobuf::FieldDescriptor* FindField(
    const google::protobuf::Descriptor& message, absl::string_view key);

// The key of `message` that `key` is a slip of. Empty: none.
std::string NearestKey(const google::protobuf::Descriptor& message,
                       absl::string_view key);

// Where in the file `key` would be right: "methodConfig[].retrykit.jitter".
// Empty: nowhere.
std::string PlaceOfKey(absl::string_view key);

// The value of `type` with that name. Null: none, or the one that stands for
// an unset field (..._UNSPECIFIED).
const google::protobuf::EnumValueDescriptor* FindEnumValue(
    const google::protobuf::EnumDescriptor& type, absl::string_view name);

// The name in `type` that `name` is a slip of, in double quotes. Empty: none.
std::string NearestEnumValue(const google::protobuf::EnumDescriptor& type,
                             absl::string_view name);

// Whether fields of this message are read as one value rather than as an
// object: Duration, Decimal, CoreJson.
bool IsScalarMessage(const google::protobuf::Descriptor& message);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_SCHEMA_WORDS_H_
