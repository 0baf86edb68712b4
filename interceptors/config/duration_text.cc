#include "interceptors/config/duration_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace retrykit {
namespace {

// google.protobuf.Duration's largest.
constexpr int64_t kMaxSeconds = 315576000000;
constexpr std::size_t kMaxDecimals = 9;

bool IsDigits(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

absl::Status NotADuration(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("Not a duration (", why, ")"));
}

// `decimals`: what stands behind the point.
absl::StatusOr<absl::Duration> ParseFraction(absl::string_view decimals) {
  int32_t number = 0;
  if (!IsDigits(decimals) || !absl::SimpleAtoi(decimals, &number)) {
    return NotADuration("not a number of nanoseconds");
  }
  if (decimals.size() > kMaxDecimals) {
    return NotADuration("too many digits after decimal");
  }
  absl::Duration fraction = absl::Nanoseconds(number);
  for (std::size_t i = decimals.size(); i < kMaxDecimals; ++i) fraction *= 10;
  return fraction;
}

// `digits`: what stands before the point.
absl::StatusOr<absl::Duration> ParseSeconds(absl::string_view digits) {
  int64_t seconds = 0;
  const bool negative = absl::ConsumePrefix(&digits, "-");
  if (!IsDigits(digits) || !absl::SimpleAtoi(digits, &seconds)) {
    return NotADuration("not a number of seconds");
  }
  if (negative || seconds > kMaxSeconds) {
    return absl::InvalidArgumentError(
        absl::StrCat("seconds must be in the range [0, ", kMaxSeconds, "]"));
  }
  return absl::Seconds(seconds);
}

}  // namespace

absl::StatusOr<absl::Duration> ParseDurationText(absl::string_view text) {
  if (!absl::ConsumeSuffix(&text, "s")) return NotADuration("no s suffix");
  const std::size_t point = text.find('.');
  absl::Duration fraction;
  if (point != absl::string_view::npos) {
    const auto parsed = ParseFraction(text.substr(point + 1));
    if (!parsed.ok()) return parsed;
    fraction = *parsed;
  }
  const auto seconds = ParseSeconds(text.substr(0, point));
  if (!seconds.ok()) return seconds;
  return *seconds + fraction;
}

std::string DurationText(absl::Duration duration) {
  absl::Duration rest;
  const int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &rest);
  std::string text =
      absl::StrFormat("%d.%09d", seconds, absl::ToInt64Nanoseconds(rest));
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "s";
}

}  // namespace retrykit
