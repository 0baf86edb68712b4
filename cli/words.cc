#include "cli/words.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace retrykit {
namespace cli {
namespace {

absl::Duration Rounded(absl::Duration duration, absl::Duration unit) {
  return absl::Trunc(duration + unit / 2, unit);
}

}  // namespace

std::string DurationWords(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return "no limit";
  if (duration >= absl::Seconds(10))
    return absl::FormatDuration(Rounded(duration, absl::Milliseconds(10)));
  if (duration >= absl::Seconds(1))
    return absl::FormatDuration(Rounded(duration, absl::Milliseconds(1)));
  if (duration >= absl::Milliseconds(1))
    return absl::FormatDuration(Rounded(duration, absl::Microseconds(100)));
  return absl::FormatDuration(Rounded(duration, absl::Nanoseconds(100)));
}

std::string PercentWords(double share) {
  return absl::StrFormat("%.1f %%", share * 100);
}

std::string Counted(int64_t count, absl::string_view one,
                    absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

std::string CodeWords(StatusCodeSet codes) {
  std::vector<std::string> names;
  for (int number = 1; number <= 16; ++number) {
    const auto code = static_cast<absl::StatusCode>(number);
    if (codes.Contains(code)) names.push_back(absl::StatusCodeToString(code));
  }
  return names.empty() ? "no code" : absl::StrJoin(names, ", ");
}

}  // namespace cli
}  // namespace retrykit
