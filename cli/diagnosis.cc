#include "cli/diagnosis.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/json_output.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kRed[] = "\033[1;31m";
constexpr char kYellow[] = "\033[1;33m";
constexpr char kGreen[] = "\033[1;32m";
constexpr char kPlain[] = "\033[0m";

std::string Painted(absl::string_view text, absl::string_view colour,
                    bool colours) {
  return colours ? absl::StrCat(colour, text, kPlain) : std::string(text);
}

std::string Counted(int count, absl::string_view word) {
  return absl::StrCat(count, " ", word, count == 1 ? "" : "s");
}

std::string Line(const std::string& file, const Diagnosis& diagnosis,
                 bool colours) {
  std::string line = file;
  if (diagnosis.position.line > 0) {
    absl::StrAppend(&line, ":", diagnosis.position.line, ":",
                    diagnosis.position.column);
  }
  absl::StrAppend(&line, ": ",
                  diagnosis.is_error ? Painted("error:", kRed, colours)
                                     : Painted("warning:", kYellow, colours),
                  " ");
  if (!diagnosis.path.empty()) absl::StrAppend(&line, diagnosis.path, ": ");
  return absl::StrCat(line, diagnosis.text, "\n");
}

OrderedJson ListOf(const FileReport& report, bool errors) {
  OrderedJson list = OrderedJson::array();
  for (const Diagnosis& diagnosis : report.diagnoses) {
    if (diagnosis.is_error != errors) continue;
    list.push_back({{"path", diagnosis.path},
                    {"line", diagnosis.position.line},
                    {"column", diagnosis.position.column},
                    {"message", diagnosis.text}});
  }
  return list;
}

}  // namespace

int FileReport::errors() const {
  return static_cast<int>(
      std::count_if(diagnoses.begin(), diagnoses.end(),
                    [](const Diagnosis& said) { return said.is_error; }));
}

int FileReport::warnings() const {
  return static_cast<int>(diagnoses.size()) - errors();
}

void Locate(absl::string_view text, FileReport& report) {
  const TextPositions positions(text);
  for (Diagnosis& said : report.diagnoses) {
    if (said.position.line == 0 && !said.path.empty())
      said.position = positions.Of(said.path);
  }
  std::stable_sort(report.diagnoses.begin(), report.diagnoses.end(),
                   [](const Diagnosis& a, const Diagnosis& b) {
                     return std::make_pair(a.position.line, a.position.column) <
                            std::make_pair(b.position.line, b.position.column);
                   });
}

std::string ReportText(const FileReport& report, bool colours) {
  std::string text;
  for (const Diagnosis& diagnosis : report.diagnoses)
    text += Line(report.file, diagnosis, colours);
  const int errors = report.errors();
  const int warnings = report.warnings();
  absl::StrAppend(&text, report.file, ": ",
                  errors > 0 ? Painted(Counted(errors, "error"), kRed, colours)
                             : Painted("OK", kGreen, colours));
  if (warnings > 0) absl::StrAppend(&text, ", ", Counted(warnings, "warning"));
  return text + "\n";
}

std::string ReportJson(const std::vector<FileReport>& reports) {
  OrderedJson files = OrderedJson::array();
  bool all_valid = true;
  for (const FileReport& report : reports) {
    const bool valid = report.errors() == 0;
    all_valid = all_valid && valid;
    files.push_back({{"file", report.file},
                     {"valid", valid},
                     {"errors", ListOf(report, true)},
                     {"warnings", ListOf(report, false)}});
  }
  return JsonText({{"valid", all_valid}, {"files", files}});
}

}  // namespace cli
}  // namespace retrykit
