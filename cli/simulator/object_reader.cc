#include "cli/simulator/object_reader.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interceptors/config/duration_text.h"
#include "interceptors/config/suggestions.h"

namespace retrykit {
namespace cli {
namespace {

const JsonValue& Empty() {
  static const auto& empty =
      *new JsonValue{JsonValue::Kind::kObject, {}, {}, {}, {}};
  return empty;
}

}  // namespace

ObjectReader::ObjectReader(const JsonValue& value, ConfigErrors& errors)
    : value_(value.is_object() ? value : Empty()), errors_(errors) {
  if (!value.is_object()) errors.Add("is not an object");
}

const JsonValue* ObjectReader::Find(const std::string& key) {
  asked_.push_back(key);
  const auto found = std::find(value_.keys.begin(), value_.keys.end(), key);
  if (found == value_.keys.end()) return nullptr;
  const auto index = static_cast<std::size_t>(found - value_.keys.begin());
  const JsonValue& member = value_.elements[index];
  return member.is_null() ? nullptr : &member;
}

const JsonValue* ObjectReader::FindOfKind(const std::string& key,
                                          JsonValue::Kind kind,
                                          absl::string_view want) {
  const JsonValue* const member = Find(key);
  if (member == nullptr || member->kind == kind) return member;
  AddError(key, absl::StrCat("is not ", want));
  return nullptr;
}

double ObjectReader::Number(const std::string& key, double otherwise,
                            double least, double most) {
  const JsonValue* const member =
      FindOfKind(key, JsonValue::Kind::kNumber, "a number");
  if (member == nullptr) return otherwise;
  double number = 0;
  if (absl::SimpleAtod(member->text, &number) && number >= least &&
      number <= most)
    return number;
  AddError(key, absl::StrCat("must be from ", least, " to ", most));
  return otherwise;
}

int64_t ObjectReader::Whole(const std::string& key, int64_t otherwise,
                            int64_t least, int64_t most) {
  const JsonValue* const member =
      FindOfKind(key, JsonValue::Kind::kNumber, "a number");
  if (member == nullptr) return otherwise;
  int64_t number = 0;
  if (absl::SimpleAtoi(member->text, &number) && number >= least &&
      number <= most)
    return number;
  AddError(key,
           absl::StrCat("must be a whole number from ", least, " to ", most));
  return otherwise;
}

absl::Duration ObjectReader::Time(const std::string& key,
                                  absl::Duration otherwise,
                                  absl::Duration least, absl::Duration most) {
  const JsonValue* const member =
      FindOfKind(key, JsonValue::Kind::kString, "a duration such as \"1.5s\"");
  if (member == nullptr) return otherwise;
  const auto duration = ParseDurationText(member->text);
  if (!duration.ok()) {
    AddError(key, absl::StrCat(duration.status().message(),
                               DidYouMean(DurationMeant(member->text))));
    return otherwise;
  }
  if (*duration >= least && *duration <= most) return *duration;
  AddError(key, absl::StrCat("must be from \"", DurationText(least), "\" to \"",
                             DurationText(most), "\""));
  return otherwise;
}

int ObjectReader::Choice(const std::string& key, int otherwise,
                         const std::vector<std::string>& choices) {
  const JsonValue* const member =
      FindOfKind(key, JsonValue::Kind::kString, "a string");
  if (member == nullptr) return otherwise;
  const auto found = std::find(choices.begin(), choices.end(), member->text);
  if (found != choices.end()) return static_cast<int>(found - choices.begin());
  AddError(key, absl::StrCat("must be one of ", absl::StrJoin(choices, ", "),
                             DidYouMean(NearestWord(member->text, choices))));
  return otherwise;
}

std::string ObjectReader::Text(const std::string& key,
                               const std::string& otherwise) {
  const JsonValue* const member =
      FindOfKind(key, JsonValue::Kind::kString, "a string");
  return member == nullptr ? otherwise : member->text;
}

void ObjectReader::Finish() {
  for (const std::string& key : value_.keys) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    AddError(key, absl::StrCat("unknown field",
                               DidYouMean(NearestWord(key, asked_))));
  }
}

void ObjectReader::AddError(const std::string& key, absl::string_view error) {
  const ConfigErrors::Field field(errors_, key);
  errors_.Add(error);
}

}  // namespace cli
}  // namespace retrykit
