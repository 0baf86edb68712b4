#include "interceptors/config/suggestions.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "interceptors/config/duration_text.h"

namespace retrykit {
namespace {

constexpr std::size_t kLongestWord = 64;

// Lower case, letters and digits only.
std::string Bare(absl::string_view word) {
  std::string bare;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte)) bare += absl::ascii_tolower(byte);
  }
  return bare;
}

// Insertions, removals, replacements and swaps of neighbours that lead from
// `a` to `b` (optimal string alignment).
std::size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// Go's and people's spellings of units as absl::ParseDuration knows them.
std::string NormalizedUnits(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  return absl::StrReplaceAll(lower, {{" ", ""},
                                     {"milliseconds", "ms"},
                                     {"millis", "ms"},
                                     {"msec", "ms"},
                                     {"seconds", "s"},
                                     {"second", "s"},
                                     {"secs", "s"},
                                     {"sec", "s"},
                                     {"minutes", "m"},
                                     {"minute", "m"},
                                     {"mins", "m"},
                                     {"min", "m"},
                                     {"\xC2\xB5s", "us"}});
}

}  // namespace

std::string NearestWord(absl::string_view word,
                        const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return "";
  const std::string bare = Bare(word);
  if (bare.empty()) return "";
  std::size_t best = std::min<std::size_t>(3, bare.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::string other = Bare(candidate);
    // The lengths alone may be too far apart.
    if (other.size() >= bare.size() + best) continue;
    if (bare.size() >= other.size() + best) continue;
    const std::size_t distance = EditDistance(bare, other);
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string DurationMeant(absl::string_view text) {
  if (text.size() > kLongestWord) return "";
  std::string normalized = NormalizedUnits(text);
  double number;
  if (absl::SimpleAtod(normalized, &number)) normalized += 's';
  absl::Duration meant;
  if (!absl::ParseDuration(normalized, &meant)) return "";
  if (meant <= absl::ZeroDuration() || meant == absl::InfiniteDuration()) {
    return "";
  }
  return absl::StrCat("\"", DurationText(meant), "\"");
}

std::string DidYouMean(absl::string_view meant) {
  return meant.empty() ? "" : absl::StrCat(", did you mean ", meant, "?");
}

}  // namespace retrykit
