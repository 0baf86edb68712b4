#include "interceptors/config/decimal_text.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace retrykit {
namespace {

constexpr int64_t kEnd = (int64_t{1} << 32) * 1000;
constexpr int kMaxDigits = 18;  // What fits an int64 for certain.
constexpr int kMaxExponent = 1'000'000;

absl::string_view TakeDigits(absl::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() &&
         absl::ascii_isdigit(static_cast<unsigned char>(text[size]))) {
    ++size;
  }
  const absl::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

// Takes "e-5" or nothing; false where something else stands there.
bool TakeExponent(absl::string_view& text, int& exponent) {
  exponent = 0;
  if (text.empty()) return true;
  if (!absl::ConsumePrefix(&text, "e") && !absl::ConsumePrefix(&text, "E")) {
    return false;
  }
  const bool negative = absl::ConsumePrefix(&text, "-");
  if (!negative) absl::ConsumePrefix(&text, "+");
  const absl::string_view digits = TakeDigits(text);
  if (digits.empty() || !text.empty()) return false;
  if (!absl::SimpleAtoi(digits, &exponent)) exponent = kMaxExponent;
  exponent = std::min(exponent, kMaxExponent) * (negative ? -1 : 1);
  return true;
}

// The first `count` of `digits`, filled up with zeros, as a number.
absl::optional<int64_t> LeadingDigits(absl::string_view digits, int64_t count) {
  while (!digits.empty() && digits.front() == '0') {
    digits.remove_prefix(1);
    --count;
  }
  if (digits.empty() || count <= 0) return 0;
  if (count > kMaxDigits) return absl::nullopt;
  const auto size = static_cast<std::size_t>(count);
  std::string padded(digits.substr(0, size));
  padded.resize(size, '0');
  int64_t number = 0;
  if (!absl::SimpleAtoi(padded, &number) || number >= kEnd) {
    return absl::nullopt;
  }
  return number;
}

}  // namespace

absl::optional<int64_t> ParseThousandths(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  absl::ConsumePrefix(&text, "+");
  const absl::string_view whole = TakeDigits(text);
  absl::string_view decimals;
  if (absl::ConsumePrefix(&text, ".")) {
    decimals = TakeDigits(text);
    if (decimals.empty()) return absl::nullopt;
  }
  int exponent;
  if (whole.empty() || !TakeExponent(text, exponent)) return absl::nullopt;
  return LeadingDigits(absl::StrCat(whole, decimals),
                       static_cast<int64_t>(whole.size()) + 3 + exponent);
}

}  // namespace retrykit
