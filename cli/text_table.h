// Rows in columns: the first to the left, the others to the right, two blanks
// between them.
//
// Thread-safety: pure.
#ifndef RETRYKIT_CLI_TEXT_TABLE_H_
#define RETRYKIT_CLI_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace retrykit {
namespace cli {

// All rows must have the same number of cells.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_TEXT_TABLE_H_
