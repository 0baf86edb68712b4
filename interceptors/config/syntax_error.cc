#include "interceptors/config/syntax_error.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace retrykit {
namespace {

constexpr std::size_t kLongestQuote = 20;

unsigned char ByteAt(absl::string_view text, std::size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

bool IsWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '+' || c == '-' || c == '.';
}

std::string Unexpected(absl::string_view token) {
  if (token.size() <= kLongestQuote) return absl::StrCat("unexpected ", token);
  return absl::StrCat("unexpected ", token.substr(0, kLongestQuote), "...");
}

// Whether the byte at `offset` belongs to a string, its closing quote included.
bool InsideString(absl::string_view text, std::size_t offset) {
  bool inside = false;
  for (std::size_t i = 0; i < offset; ++i) {
    if (inside && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      inside = !inside;
    }
  }
  return inside;
}

// The nearest byte before `offset` that is not blank; '\0' where there is none.
char CharBefore(absl::string_view text, std::size_t offset) {
  while (offset > 0) {
    const char c = text[--offset];
    if (!absl::ascii_isspace(static_cast<unsigned char>(c))) return c;
  }
  return '\0';
}

char CharAfter(absl::string_view text, std::size_t offset) {
  while (offset < text.size() && absl::ascii_isspace(ByteAt(text, offset))) {
    ++offset;
  }
  return offset < text.size() ? text[offset] : '\0';
}

// A value or key that follows another one with nothing between them.
bool MissesSeparator(char before) {
  return before == '"' || before == '}' || before == ']' ||
         absl::ascii_isalnum(static_cast<unsigned char>(before));
}

// Whether the backslash at `offset` is one that escapes.
bool Escapes(absl::string_view text, std::size_t offset) {
  std::size_t slashes = 0;
  while (slashes <= offset && text[offset - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

// Whether the byte at `offset` belongs to an escape that it spoils: "\x",
// "\u12", or half of a surrogate pair before it.
bool SpoilsEscape(absl::string_view text, std::size_t offset) {
  for (std::size_t back = 1; back <= 6 && back <= offset; ++back) {
    const std::size_t at = offset - back;
    if (text[at] != '\\' || !Escapes(text, at)) continue;
    const char kind = text[at + 1];
    if (back == 1 || (kind == 'u' && back < 6)) return true;
    return kind == 'u' && (text[at + 2] | 0x20) == 'd';
  }
  return false;
}

// Whether the byte at `offset` cuts a UTF-8 sequence short.
bool CutsSequence(absl::string_view text, std::size_t offset) {
  std::size_t lead = offset - 1;
  while (lead > 0 && (ByteAt(text, lead) & 0xC0) == 0x80) --lead;
  const unsigned char first = ByteAt(text, lead);
  const std::size_t size = first >= 0xF0   ? 4
                           : first >= 0xE0 ? 3
                           : first >= 0xC0 ? 2
                                           : 1;
  return lead + size > offset;
}

std::string DescribeInString(absl::string_view text, std::size_t offset) {
  const unsigned char c = ByteAt(text, offset);
  if (c == '\n' || c == '\r') {
    return AtPosition(text, offset, "string not closed on its line");
  }
  if (c < 0x20) {
    return AtPosition(text, offset, "control character in a string");
  }
  if (SpoilsEscape(text, offset)) {
    return AtPosition(text, offset, "invalid escape in a string");
  }
  if (c == '"' && !CutsSequence(text, offset)) {
    const std::size_t start = StringStart(text, offset);
    const bool misses = MissesSeparator(CharBefore(text, start));
    return AtPosition(
        text, start,
        misses ? "missing comma or colon before this" : "unexpected string");
  }
  return AtPosition(text, offset, "invalid UTF-8");
}

std::string DescribeWord(absl::string_view text, std::size_t start,
                         std::size_t end) {
  const absl::string_view word = text.substr(start, end - start);
  const std::string bare =
      absl::AsciiStrToLower(word.substr(word.find_first_not_of("+-") == 1));
  if (bare == "nan" || bare == "inf" || bare == "infinity") {
    return "not a number that JSON has";
  }
  for (const char* literal : {"true", "false", "null"}) {
    if (bare == literal && word != literal) {
      return absl::StrCat(Unexpected(word), ", did you mean ", literal, "?");
    }
  }
  if (CharAfter(text, end) == ':') return "keys stand in double quotes";
  if (MissesSeparator(CharBefore(text, start))) {
    return "missing comma or colon before this";
  }
  const bool number = word.find_first_of("0123456789") <= 1;
  return number ? absl::StrCat("malformed number ", word.substr(0, 20))
                : Unexpected(word);
}

// Whether the word that ends before `offset` ended too early: "1.", "nul".
bool EndsTooEarly(absl::string_view text, std::size_t offset) {
  const std::size_t start = WordStart(text, offset);
  const absl::string_view word = text.substr(start, offset - start);
  if (word.empty()) return false;
  if (!absl::ascii_isalpha(static_cast<unsigned char>(word[0]))) {
    return !absl::ascii_isdigit(static_cast<unsigned char>(word.back()));
  }
  return word != "true" && word != "false" && word != "null";
}

std::string DescribeOutsideString(absl::string_view text, std::size_t offset) {
  const char c = text[offset];
  if (IsWord(c) || EndsTooEarly(text, offset)) {
    const std::size_t start = WordStart(text, offset);
    std::size_t end = offset;
    while (end < text.size() && IsWord(text[end])) ++end;
    return AtPosition(text, start, DescribeWord(text, start, end));
  }
  if (c == '/' || c == '#') {
    return AtPosition(text, offset, "JSON has no comments");
  }
  if (c == '\'') {
    return AtPosition(text, offset, "strings stand in double quotes");
  }
  if (CharBefore(text, offset) == ',' && (c == '}' || c == ']')) {
    return AtPosition(text, offset, "trailing comma");
  }
  const bool printable = absl::ascii_isprint(static_cast<unsigned char>(c));
  return AtPosition(
      text, offset,
      printable ? Unexpected(text.substr(offset, 1)) : "unexpected character");
}

}  // namespace

std::string AtPosition(absl::string_view text, std::size_t offset,
                       absl::string_view what) {
  const absl::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const absl::string_view in_line =
      newline == absl::string_view::npos ? before : before.substr(newline + 1);
  const auto column =
      std::count_if(in_line.begin(), in_line.end(),
                    [](char c) {
                      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
                    }) +
      1;
  return absl::StrCat("line ", line, ", column ", column, ": ", what);
}

std::string DescribeSyntaxError(absl::string_view text, std::size_t offset) {
  if (offset >= text.size()) {
    return AtPosition(text, text.size(), "unexpected end");
  }
  return InsideString(text, offset) ? DescribeInString(text, offset)
                                    : DescribeOutsideString(text, offset);
}

std::size_t StringStart(absl::string_view text, std::size_t closing_quote) {
  std::size_t at = closing_quote;
  while (at > 0) {
    --at;
    if (text[at] != '"') continue;
    // A quote inside the string has an odd number of backslashes before it.
    std::size_t slashes = 0;
    while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return at;
  }
  return 0;
}

std::size_t WordStart(absl::string_view text, std::size_t offset) {
  while (offset > 0 && IsWord(text[offset - 1])) --offset;
  return offset;
}

}  // namespace retrykit
