#include "cli/text_table.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace retrykit {
namespace cli {

std::string TextTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + blanks : absl::StrCat("  ", blanks, row[i]);
    }
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&table, line, "\n");
  }
  return table;
}

}  // namespace cli
}  // namespace retrykit
