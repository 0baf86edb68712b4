#include "interceptors/config/field_rules.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace retrykit {
namespace {

constexpr absl::string_view kNotPositive = "must be greater than 0";

// Whether the field is there and nothing has been said about it.
bool IsSound(bool has, absl::string_view key, ConfigErrors& errors) {
  return has && !HasErrorsAt(key, errors);
}

}  // namespace

absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) +
         absl::Nanoseconds(duration.nanos());
}

bool HasErrorsAt(absl::string_view key, ConfigErrors& errors) {
  const ConfigErrors::Field field(errors, key);
  return errors.FieldHasErrors();
}

void AddAt(absl::string_view key, absl::string_view error,
           ConfigErrors& errors) {
  const ConfigErrors::Field field(errors, key);
  errors.Add(error);
}

void RequireField(bool has, absl::string_view key, ConfigErrors& errors) {
  if (has || HasErrorsAt(key, errors)) return;
  AddAt(key, "field not present", errors);
}

absl::optional<absl::Duration> PositiveDuration(
    bool has, const google::protobuf::Duration& value, absl::string_view key,
    ConfigErrors& errors) {
  if (!IsSound(has, key, errors)) return absl::nullopt;
  const absl::Duration duration = ToDuration(value);
  if (duration > absl::ZeroDuration()) return duration;
  AddAt(key, kNotPositive, errors);
  return absl::nullopt;
}

absl::optional<int> IntBetween(bool has, int value, int least, int most,
                               absl::string_view key, ConfigErrors& errors) {
  if (!IsSound(has, key, errors)) return absl::nullopt;
  if (value < least) {
    AddAt(key, absl::StrCat("must be at least ", least), errors);
    return absl::nullopt;
  }
  if (value > most) {
    AddAt(key, absl::StrCat("must be at most ", most), errors);
    return absl::nullopt;
  }
  return value;
}

absl::optional<double> PositiveNumber(bool has, double value,
                                      absl::string_view key,
                                      ConfigErrors& errors) {
  if (!IsSound(has, key, errors)) return absl::nullopt;
  if (value > 0) return value;
  AddAt(key, kNotPositive, errors);
  return absl::nullopt;
}

absl::optional<double> Share(bool has, double value, absl::string_view key,
                             ConfigErrors& errors) {
  const auto share = PositiveNumber(has, value, key, errors);
  if (!share || *share <= 1) return share;
  AddAt(key, "must be at most 1", errors);
  return absl::nullopt;
}

StatusCodeSet FailureCodes(const google::protobuf::RepeatedField<int>& codes,
                           absl::string_view key, ConfigErrors& errors) {
  StatusCodeSet set;
  const ConfigErrors::Field field(errors, key);
  for (int i = 0; i < codes.size(); ++i) {
    const ConfigErrors::Field element(errors, static_cast<std::size_t>(i));
    if (errors.FieldHasErrors()) continue;
    const auto code = static_cast<absl::StatusCode>(codes.Get(i));
    if (code == absl::StatusCode::kOk) errors.Add("must not be OK");
    set.Add(code);
  }
  return set;
}

}  // namespace retrykit
