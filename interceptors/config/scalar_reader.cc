#include "interceptors/config/scalar_reader.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "interceptors/config/duration_text.h"
#include "interceptors/config/schema_words.h"
#include "interceptors/config/suggestions.h"
#include "proto/retrykit/v1/service_config.pb.h"

namespace retrykit {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A number stands as one or in a string.
bool HasNumber(const JsonValue& value, ConfigErrors& errors) {
  if (value.kind == JsonValue::Kind::kNumber) return true;
  if (value.kind == JsonValue::Kind::kString) return true;
  errors.Add("is not a number");
  return false;
}

int32_t ReadInt32(const JsonValue& value, ConfigErrors& errors) {
  int32_t number = 0;
  if (HasNumber(value, errors) && !absl::SimpleAtoi(value.text, &number)) {
    errors.Add("failed to parse number");
  }
  return number;
}

uint32_t ReadUint32(const JsonValue& value, ConfigErrors& errors) {
  uint32_t number = 0;
  if (HasNumber(value, errors) && !absl::SimpleAtoi(value.text, &number)) {
    errors.Add("failed to parse non-negative number");
  }
  return number;
}

double ReadDouble(const JsonValue& value, ConfigErrors& errors) {
  double number = 0;
  if (!HasNumber(value, errors)) return 0;
  if (!absl::SimpleAtod(value.text, &number)) {
    errors.Add("failed to parse floating-point number");
  } else if (!std::isfinite(number)) {
    errors.Add("must be finite");
  }
  return number;
}

bool ReadBool(const JsonValue& value, ConfigErrors& errors) {
  if (value.kind == JsonValue::Kind::kBoolean) return value.boolean;
  const bool is_text = value.kind == JsonValue::Kind::kString;
  const bool meant = is_text && (absl::EqualsIgnoreCase(value.text, "true") ||
                                 absl::EqualsIgnoreCase(value.text, "false"));
  errors.Add(
      absl::StrCat("is not a boolean",
                   meant ? DidYouMean(absl::AsciiStrToLower(value.text)) : ""));
  return false;
}

std::string ReadString(const JsonValue& value, ConfigErrors& errors) {
  if (value.kind == JsonValue::Kind::kString) return value.text;
  errors.Add("is not a string");
  return "";
}

// gRFC A6: by name in any case, or by number. Zero where it is neither.
int ReadStatusCode(const JsonValue& value, ConfigErrors& errors) {
  if (value.kind != JsonValue::Kind::kString &&
      value.kind != JsonValue::Kind::kNumber) {
    errors.Add("is not a string");
    return v1::UNKNOWN;
  }
  int number = 0;
  if (absl::SimpleAtoi(value.text, &number)) {
    if (v1::StatusCode_IsValid(number)) return number;
  } else if (value.text.size() <= 32) {
    const auto* code = FindEnumValue(*v1::StatusCode_descriptor(),
                                     absl::AsciiStrToUpper(value.text));
    if (code != nullptr) return code->number();
  }
  errors.Add(absl::StrCat(
      "failed to parse status code",
      DidYouMean(NearestEnumValue(*v1::StatusCode_descriptor(), value.text))));
  return v1::UNKNOWN;
}

int ReadEnum(const JsonValue& value, const EnumDescriptor& type,
             ConfigErrors& errors) {
  if (&type == v1::StatusCode_descriptor()) {
    return ReadStatusCode(value, errors);
  }
  if (value.kind != JsonValue::Kind::kString) {
    errors.Add("is not a string");
    return 0;
  }
  const auto* found = FindEnumValue(type, value.text);
  if (found != nullptr) return found->number();
  errors.Add(absl::StrCat("unknown value",
                          DidYouMean(NearestEnumValue(type, value.text))));
  return 0;
}

void ReadDuration(const JsonValue& value, google::protobuf::Duration& duration,
                  ConfigErrors& errors) {
  if (value.kind != JsonValue::Kind::kString) {
    const bool number = value.kind == JsonValue::Kind::kNumber;
    errors.Add(
        absl::StrCat("is not a string",
                     number ? DidYouMean(DurationMeant(value.text)) : ""));
    return;
  }
  const auto parsed = ParseDurationText(value.text);
  if (!parsed.ok()) {
    errors.Add(absl::StrCat(parsed.status().message(),
                            DidYouMean(DurationMeant(value.text))));
    return;
  }
  absl::Duration rest;
  duration.set_seconds(absl::IDivDuration(*parsed, absl::Seconds(1), &rest));
  duration.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
}

void ReadEnumField(const JsonValue& value, Message& message,
                   const FieldDescriptor& field, ConfigErrors& errors) {
  const int number = ReadEnum(value, *field.enum_type(), errors);
  const auto* reflection = message.GetReflection();
  if (field.is_repeated()) {
    reflection->AddEnumValue(&message, &field, number);
  } else {
    reflection->SetEnumValue(&message, &field, number);
  }
}

}  // namespace

void ReadScalar(const JsonValue& value, Message& message,
                const FieldDescriptor& field, ConfigErrors& errors) {
  const auto* reflection = message.GetReflection();
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    return ReadEnumField(value, message, field, errors);
  }
  // Lists of anything else, and other types, are not in the schema: refuse
  // rather than ignore.
  if (field.is_repeated()) return errors.Add("has a type without a reader");
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(&message, &field, ReadInt32(value, errors));
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(&message, &field, ReadUint32(value, errors));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(&message, &field, ReadDouble(value, errors));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(&message, &field, ReadBool(value, errors));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(&message, &field, ReadString(value, errors));
    default:
      errors.Add("has a type without a reader");
  }
}

void ReadScalarMessage(const JsonValue& value, Message& message,
                       ConfigErrors& errors) {
  // The types are certain: the caller asked IsScalarMessage.
  if (message.GetDescriptor() == v1::CoreJson::descriptor()) {
    static_cast<v1::CoreJson&>(message).set_json(WriteJson(value));
  } else if (message.GetDescriptor() == v1::Decimal::descriptor()) {
    if (HasNumber(value, errors)) {
      static_cast<v1::Decimal&>(message).set_text(value.text);
    }
  } else {
    ReadDuration(value, static_cast<google::protobuf::Duration&>(message),
                 errors);
  }
}

}  // namespace retrykit
