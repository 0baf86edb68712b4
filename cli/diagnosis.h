// What `check` has to say about a file, and how it says it.
//
// Thread-safety: plain values and pure functions.
#ifndef RETRYKIT_CLI_DIAGNOSIS_H_
#define RETRYKIT_CLI_DIAGNOSIS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/text_position.h"

namespace retrykit {
namespace cli {

struct Diagnosis {
  bool is_error = true;  // Else a warning.
  std::string path;      // "" where it belongs to no field.
  std::string text;
  TextPosition position;
};

// One file's, by position.
struct FileReport {
  std::string file;
  std::vector<Diagnosis> diagnoses;

  int errors() const;
  int warnings() const;
};

// Gives those with a path and no position theirs in `text`, which must be JSON,
// and sorts them by it.
void Locate(absl::string_view text, FileReport& report);

// "FILE:LINE:COLUMN: error: PATH: TEXT", a line each, then a line that sums up.
std::string ReportText(const FileReport& report, bool colours);

// {"valid": ..., "files": [{"file", "valid", "errors": [{"path", "line",
// "column", "message"}], "warnings": [...]}]}. What is not UTF-8 is replaced.
std::string ReportJson(const std::vector<FileReport>& reports);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_DIAGNOSIS_H_
