// A JSON text as a tree that loses nothing which matters to a config: numbers
// stay decimal text, so that none is rounded and none overflows.
//
// Thread-safety: a value type. Deep trees are handled by recursion; the parser
// limits the depth (kMaxJsonDepth).
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_JSON_VALUE_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_JSON_VALUE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace retrykit {

struct JsonValue {
  enum class Kind : unsigned char {
    kNull,
    kBoolean,
    kNumber,
    kString,
    kArray,
    kObject
  };

  bool is_object() const { return kind == Kind::kObject; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_null() const { return kind == Kind::kNull; }

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;                 // Of a number, or of a string, unescaped.
  std::vector<JsonValue> elements;  // Of an array or an object.
  std::vector<std::string> keys;    // Of an object: keys[i] is elements[i]'s.
};

// The value as JSON, without blanks between tokens.
std::string WriteJson(const JsonValue& value);

// `text` in double quotes, escaped. `text` must be UTF-8.
std::string QuoteJson(absl::string_view text);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_JSON_VALUE_H_
