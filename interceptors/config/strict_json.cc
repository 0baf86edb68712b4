#include "interceptors/config/strict_json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "interceptors/config/syntax_error.h"

namespace retrykit {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kNumberTooLarge = 406;  // nlohmann::json's id of that error.

// Walks over a text and leaves a note how far it has come: the parser tells
// what it found, but not where.
class NotingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  NotingIterator(const char* at, const char** reached)
      : at_(at), reached_(reached) {}

  reference operator*() const { return *at_; }
  NotingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  NotingIterator operator++(int) {
    NotingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const NotingIterator& a, const NotingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const NotingIterator& a, const NotingIterator& b) {
    return !(a == b);
  }

 private:
  const char* at_;
  const char** reached_;
};

// The parser's events, made a tree. Every event returns whether to go on.
class TreeBuilder {
 public:
  explicit TreeBuilder(absl::string_view text)
      : text_(text), reached_(text.data()) {}

  bool Parse() {
    return nlohmann::json::sax_parse(
        NotingIterator(text_.data(), &reached_),
        NotingIterator(text_.data() + text_.size(), &reached_), this);
  }

  JsonValue& root() { return root_; }
  const std::string& error() const { return error_; }
  std::size_t error_offset() const { return error_offset_; }

  bool null() { return Put(JsonValue()); }
  bool boolean(bool value) {
    JsonValue json;
    json.kind = JsonValue::Kind::kBoolean;
    json.boolean = value;
    return Put(std::move(json));
  }
  bool number_integer(std::int64_t value) {
    return PutText(JsonValue::Kind::kNumber, absl::StrCat(value));
  }
  bool number_unsigned(std::uint64_t value) {
    return PutText(JsonValue::Kind::kNumber, absl::StrCat(value));
  }
  // Some releases of the library write the locale's decimal point.
  bool number_float(double, std::string text) {
    for (char& c : text) {
      if (absl::string_view("0123456789+-eE").find(c) ==
          absl::string_view::npos) {
        c = '.';
      }
    }
    return PutText(JsonValue::Kind::kNumber, std::move(text));
  }
  bool string(std::string& text) {
    return PutText(JsonValue::Kind::kString, std::move(text));
  }
  bool binary(nlohmann::json::binary_t&) { return false; }  // Not in text.

  bool start_object(std::size_t) { return Open(JsonValue::Kind::kObject); }
  bool start_array(std::size_t) { return Open(JsonValue::Kind::kArray); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }

  bool key(std::string& text) {
    Frame& frame = open_.back();
    if (!frame.keys.insert(text).second) {
      const std::size_t at = StringStart(text_, LastByte());
      return Fail(at,
                  AtPosition(text_, at,
                             absl::StrCat("duplicate key ", QuoteJson(text))));
    }
    frame.value.keys.push_back(std::move(text));
    return true;
  }

  bool parse_error(std::size_t bytes_read, const std::string&,
                   const nlohmann::json::exception& error) {
    const std::size_t at = bytes_read == 0 ? 0 : bytes_read - 1;
    if (error.id == kNumberTooLarge) {
      const std::size_t start = WordStart(text_, std::min(at, text_.size()));
      return Fail(start, AtPosition(text_, start, "number too large"));
    }
    return Fail(at, DescribeSyntaxError(text_, at));
  }

 private:
  struct Frame {
    JsonValue value;
    absl::flat_hash_set<std::string> keys;
  };

  std::size_t LastByte() const {
    return static_cast<std::size_t>(reached_ - text_.data()) - 1;
  }

  bool Fail(std::size_t offset, std::string error) {
    error_offset_ = offset;
    error_ = std::move(error);
    return false;
  }

  bool PutText(JsonValue::Kind kind, std::string text) {
    JsonValue json;
    json.kind = kind;
    json.text = std::move(text);
    return Put(std::move(json));
  }

  bool Put(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().value.elements.push_back(std::move(value));
    }
    return true;
  }

  bool Open(JsonValue::Kind kind) {
    if (open_.size() == kMaxJsonDepth) {
      return Fail(LastByte(),
                  AtPosition(text_, LastByte(),
                             absl::StrCat("nested deeper than ", kMaxJsonDepth,
                                          " levels")));
    }
    open_.emplace_back();
    open_.back().value.kind = kind;
    return true;
  }

  bool Close() {
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    return Put(std::move(value));
  }

  const absl::string_view text_;
  const char* reached_;
  std::vector<Frame> open_;
  JsonValue root_;
  std::string error_;
  std::size_t error_offset_ = 0;
};

absl::Status Failed(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("JSON parsing failed: ", what));
}

}  // namespace

absl::StatusOr<JsonValue> ParseStrictJson(absl::string_view text) {
  if (absl::StartsWith(text, kByteOrderMark)) {
    return Failed(AtPosition(text, 0, "byte order mark"));
  }
  // The library takes a NUL byte for the end: stop there ourselves.
  const std::size_t nul = text.find('\0');
  const absl::string_view sound = text.substr(0, nul);
  TreeBuilder builder(sound);
  const bool parsed = builder.Parse();
  if (!parsed && builder.error_offset() < sound.size()) {
    return Failed(builder.error());
  }
  if (nul != absl::string_view::npos) {
    return Failed(AtPosition(text, nul, "NUL byte"));
  }
  if (!parsed) return Failed(builder.error());
  return std::move(builder.root());
}

}  // namespace retrykit
