#include "interceptors/config/json_value.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace retrykit {
namespace {

void AppendQuoted(absl::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(
          &out, "\\u",
          absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad4));
    } else {
      out += c;
    }
  }
  out += '"';
}

void Append(const JsonValue& value, std::string& out);

void AppendContainer(const JsonValue& value, std::string& out) {
  out += value.is_object() ? '{' : '[';
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    if (i > 0) out += ',';
    if (value.is_object()) {
      AppendQuoted(value.keys[i], out);
      out += ':';
    }
    Append(value.elements[i], out);
  }
  out += value.is_object() ? '}' : ']';
}

void Append(const JsonValue& value, std::string& out) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      out += "null";
      return;
    case JsonValue::Kind::kBoolean:
      out += value.boolean ? "true" : "false";
      return;
    case JsonValue::Kind::kNumber:
      out += value.text;
      return;
    case JsonValue::Kind::kString:
      AppendQuoted(value.text, out);
      return;
    case JsonValue::Kind::kArray:
    case JsonValue::Kind::kObject:
      AppendContainer(value, out);
      return;
  }
}

}  // namespace

std::string WriteJson(const JsonValue& value) {
  std::string out;
  Append(value, out);
  return out;
}

std::string QuoteJson(absl::string_view text) {
  std::string out;
  AppendQuoted(text, out);
  return out;
}

}  // namespace retrykit
