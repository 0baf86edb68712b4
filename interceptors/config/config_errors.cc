#include "interceptors/config/config_errors.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace retrykit {
namespace {

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

// Takes the digits at `at` off `text` as a number without leading zeros.
absl::string_view TakeNumber(absl::string_view text, std::size_t& at) {
  while (at + 1 < text.size() && text[at] == '0' && IsDigit(text[at + 1])) ++at;
  const std::size_t start = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  return text.substr(start, at - start);
}

}  // namespace

ConfigErrors::Field::Field(ConfigErrors& errors, absl::string_view key)
    : errors_(errors), old_size_(errors.path_.size()) {
  if (!errors.path_.empty()) errors.path_ += '.';
  absl::StrAppend(&errors.path_, key);
}

ConfigErrors::Field::Field(ConfigErrors& errors, std::size_t index)
    : errors_(errors), old_size_(errors.path_.size()) {
  absl::StrAppend(&errors.path_, "[", index, "]");
}

void ConfigErrors::Add(absl::string_view error) {
  if (full()) {
    ++untold_;
    return;
  }
  std::vector<std::string>& here = errors_[path_];
  if (std::find(here.begin(), here.end(), error) != here.end()) return;
  here.emplace_back(error);
  ++told_;
}

void ConfigErrors::Excuse(absl::string_view key) {
  Field field(*this, key);
  excused_.insert(path_);
}

bool ConfigErrors::FieldHasErrors() const {
  return full() || errors_.count(path_) > 0 || excused_.contains(path_);
}

absl::Status ConfigErrors::ToStatus() const {
  if (ok()) return absl::OkStatus();
  std::vector<std::string> fields;
  for (const auto& field : errors_) {
    const std::vector<std::string>& texts = field.second;
    fields.push_back(
        texts.size() == 1
            ? absl::StrCat("field:", field.first, " error:", texts.front())
            : absl::StrCat("field:", field.first, " errors:[",
                           absl::StrJoin(texts, "; "), "]"));
  }
  if (untold_ > 0) fields.push_back(absl::StrCat("and ", untold_, " more"));
  return absl::InvalidArgumentError(absl::StrCat(
      "errors validating service config: [", absl::StrJoin(fields, "; "), "]"));
}

std::vector<ConfigMistake> ConfigErrors::ToList() const {
  std::vector<ConfigMistake> mistakes;
  for (const auto& field : errors_) {
    for (const std::string& text : field.second) {
      mistakes.push_back({field.first, text});
    }
  }
  if (untold_ > 0) mistakes.push_back({"", absl::StrCat(untold_, " more")});
  return mistakes;
}

bool ConfigErrors::PathLess::operator()(const std::string& a,
                                        const std::string& b) const {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const absl::string_view m = TakeNumber(a, i);
      const absl::string_view n = TakeNumber(b, j);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j || (a.size() - i == b.size() - j && a < b);
}

}  // namespace retrykit
