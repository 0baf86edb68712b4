#include "interceptors/config/json_reader.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "interceptors/config/scalar_reader.h"
#include "interceptors/config/schema_words.h"
#include "interceptors/config/suggestions.h"

namespace retrykit {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::size_t kLongestShownKey = 64;

// Reports an unknown key; false where it resembles nothing in the schema.
bool ReportSlip(const Descriptor& message, absl::string_view key,
                ConfigErrors& errors) {
  if (errors.full()) return false;
  const std::string nearest = NearestKey(message, key);
  const std::string place = nearest.empty() ? PlaceOfKey(key) : "";
  if (nearest.empty() && place.empty()) return false;
  if (!nearest.empty()) errors.Excuse(nearest);
  ConfigErrors::Field field(errors, ShownKey(key));
  errors.Add(nearest.empty()
                 ? absl::StrCat("unknown field, it belongs at ", place)
                 : absl::StrCat("unknown field", DidYouMean(nearest)));
  return true;
}

void ReadObject(const JsonValue& value, Message& message, ConfigErrors& errors);

void ReadOne(const JsonValue& value, Message& message,
             const FieldDescriptor& field, ConfigErrors& errors) {
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return ReadScalar(value, message, field, errors);
  }
  const auto* reflection = message.GetReflection();
  const bool whole = IsScalarMessage(*field.message_type());
  if (!whole && !value.is_object()) errors.Add("is not an object");
  if (!field.is_repeated() && !whole && !value.is_object()) return;
  Message& part = field.is_repeated()
                      ? *reflection->AddMessage(&message, &field)
                      : *reflection->MutableMessage(&message, &field);
  if (whole) {
    ReadScalarMessage(value, part, errors);
  } else if (value.is_object()) {
    ReadObject(value, part, errors);
  }
}

void ReadField(const JsonValue& value, Message& message,
               const FieldDescriptor& field, ConfigErrors& errors) {
  if (value.is_null()) return;
  if (!field.is_repeated()) return ReadOne(value, message, field, errors);
  if (!value.is_array()) return errors.Add("is not an array");
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    ConfigErrors::Field element(errors, i);
    ReadOne(value.elements[i], message, field, errors);
  }
}

// The indexes of keys that `message` does not have.
std::vector<std::size_t> ReadKnown(const JsonValue& object, Message& message,
                                   ConfigErrors& errors) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    const auto* field = FindField(*message.GetDescriptor(), object.keys[i]);
    if (field == nullptr) {
      unknown.push_back(i);
      continue;
    }
    ConfigErrors::Field scope(errors, object.keys[i]);
    ReadField(object.elements[i], message, *field, errors);
  }
  return unknown;
}

void ReadObject(const JsonValue& value, Message& message,
                ConfigErrors& errors) {
  for (const std::size_t i : ReadKnown(value, message, errors)) {
    if (ReportSlip(*message.GetDescriptor(), value.keys[i], errors)) continue;
    ConfigErrors::Field field(errors, ShownKey(value.keys[i]));
    errors.Add("unknown field");
  }
}

}  // namespace

std::string ShownKey(absl::string_view key) {
  std::string shown(key.substr(0, kLongestShownKey));
  if (key.size() > kLongestShownKey) shown += "...";
  for (char& c : shown) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = '?';
  }
  return shown;
}

std::vector<std::size_t> ReadServiceConfig(const JsonValue& value,
                                           v1::ServiceConfig& config,
                                           ConfigErrors& errors) {
  if (!value.is_object()) {
    errors.Add("is not an object");
    return {};
  }
  std::vector<std::size_t> passed_on;
  for (const std::size_t i : ReadKnown(value, config, errors)) {
    if (!ReportSlip(*config.GetDescriptor(), value.keys[i], errors)) {
      passed_on.push_back(i);
    }
  }
  return passed_on;
}

}  // namespace retrykit
