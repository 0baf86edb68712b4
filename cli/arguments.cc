#include "cli/arguments.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace retrykit {
namespace cli {
namespace {

bool IsFlag(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

absl::Status Wrong(absl::string_view flag, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("--", flag, ": ", what));
}

}  // namespace

absl::StatusOr<Arguments> Arguments::Parse(
    const std::vector<std::string>& words, const std::vector<FlagSpec>& flags) {
  Arguments parsed;
  bool flags_ended = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (flags_ended || !IsFlag(word)) {
      parsed.files_.push_back(word);
      continue;
    }
    if (word == "--") {
      flags_ended = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::size_t start = absl::StartsWith(word, "--") ? 2 : 1;
    const std::string name = word.substr(start, equals - start);
    const auto spec =
        std::find_if(flags.begin(), flags.end(),
                     [&](const FlagSpec& flag) { return flag.name == name; });
    if (spec == flags.end() || start == 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "unknown flag ", absl::string_view(word).substr(0, equals)));
    }
    const bool has_value = equals != std::string::npos;
    if (has_value && !spec->takes_value) return Wrong(name, "takes no value");
    if (!has_value && spec->takes_value && i + 1 == words.size())
      return Wrong(name, "needs a value");
    parsed.flags_[name] = has_value           ? word.substr(equals + 1)
                          : spec->takes_value ? words[++i]
                                              : "";
  }
  return parsed;
}

std::string Arguments::Text(const std::string& flag) const {
  const auto found = flags_.find(flag);
  return found == flags_.end() ? "" : found->second;
}

absl::StatusOr<int64_t> Arguments::Whole(const std::string& flag,
                                         int64_t otherwise, int64_t least,
                                         int64_t most) const {
  if (!Has(flag)) return otherwise;
  int64_t value = 0;
  if (absl::SimpleAtoi(Text(flag), &value) && value >= least && value <= most)
    return value;
  return Wrong(
      flag, absl::StrCat("must be a whole number from ", least, " to ", most));
}

}  // namespace cli
}  // namespace retrykit
