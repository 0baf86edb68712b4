#include "interceptors/config/schema_words.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/duration.pb.h"
#include "interceptors/config/suggestions.h"
#include "proto/retrykit/v1/service_config.pb.h"

namespace retrykit {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

// The names are std::string or absl::string_view, depending on Protobuf.
absl::string_view JsonName(const FieldDescriptor& field) {
  return field.json_name();
}

bool StandsForUnset(const EnumValueDescriptor& value) {
  return absl::EndsWith(value.name(), "_UNSPECIFIED");
}

bool IsObject(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         !IsScalarMessage(*field.message_type());
}

// Where below `message` the key is right; the schema has no cycles.
std::string PlaceBelow(const Descriptor& message, absl::string_view key) {
  if (FindField(message, key) != nullptr) return std::string(key);
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (!IsObject(field)) continue;
    const std::string place = PlaceBelow(*field.message_type(), key);
    if (place.empty()) continue;
    return absl::StrCat(JsonName(field), field.is_repeated() ? "[]." : ".",
                        place);
  }
  return "";
}

}  // namespace

const FieldDescriptor* FindField(const Descriptor& message,
                                 absl::string_view key) {
  for (int i = 0; i < message.field_count(); ++i) {
    if (JsonName(*message.field(i)) == key) return message.field(i);
  }
  return nullptr;
}

std::string NearestKey(const Descriptor& message, absl::string_view key) {
  std::vector<std::string> keys;
  for (int i = 0; i < message.field_count(); ++i) {
    keys.emplace_back(JsonName(*message.field(i)));
  }
  return NearestWord(key, keys);
}

std::string PlaceOfKey(absl::string_view key) {
  return PlaceBelow(*v1::ServiceConfig::descriptor(), key);
}

const EnumValueDescriptor* FindEnumValue(const EnumDescriptor& type,
                                         absl::string_view name) {
  for (int i = 0; i < type.value_count(); ++i) {
    const EnumValueDescriptor* value = type.value(i);
    if (value->name() == name && !StandsForUnset(*value)) return value;
  }
  return nullptr;
}

std::string NearestEnumValue(const EnumDescriptor& type,
                             absl::string_view name) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (!StandsForUnset(*type.value(i)))
      names.emplace_back(type.value(i)->name());
  }
  const std::string nearest = NearestWord(name, names);
  return nearest.empty() ? "" : absl::StrCat("\"", nearest, "\"");
}

bool IsScalarMessage(const Descriptor& message) {
  return &message == google::protobuf::Duration::descriptor() ||
         &message == v1::Decimal::descriptor() ||
         &message == v1::CoreJson::descriptor();
}

}  // namespace retrykit
