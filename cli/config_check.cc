#include "cli/config_check.h"

#include <grpcpp/support/validate_service_config.h>

#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/catalog_check.h"
#include "interceptors/config/config.h"

namespace retrykit {
namespace cli {
namespace {

// "line 3, column 5: trailing comma", behind what strict_json.h says.
Diagnosis SyntaxMistake(absl::string_view message) {
  Diagnosis said;
  absl::string_view rest = message;
  absl::ConsumePrefix(&rest, "JSON parsing failed: ");
  said.text = std::string(rest);
  const std::size_t comma = rest.find(", column ");
  const std::size_t colon = rest.find(": ");
  if (!absl::ConsumePrefix(&rest, "line ") ||
      comma == absl::string_view::npos || colon == absl::string_view::npos)
    return said;
  const absl::string_view line =
      absl::string_view(said.text).substr(5, comma - 5);
  const absl::string_view column =
      absl::string_view(said.text).substr(comma + 9, colon - comma - 9);
  if (!absl::SimpleAtoi(line, &said.position.line) ||
      !absl::SimpleAtoi(column, &said.position.column))
    return said;
  said.text = said.text.substr(colon + 2);
  return said;
}

// A warning is "PATH: TEXT".
Diagnosis Warning(const std::string& warning) {
  Diagnosis said;
  said.is_error = false;
  const std::size_t colon = warning.find(": ");
  if (colon == std::string::npos) {
    said.text = warning;
    return said;
  }
  said.path = warning.substr(0, colon);
  said.text = warning.substr(colon + 2);
  return said;
}

// Core's own form is "errors validating service config: [field:PATH error:TEXT;
// ...]"; of several mistakes the text is left as it is.
void AskCore(const ParsedConfig& config, std::vector<Diagnosis>& diagnoses) {
  if (config.core_json == "{}") return;
  const std::string verdict =
      grpc::experimental::ValidateServiceConfigJSON(config.core_json);
  if (verdict.empty()) return;
  Diagnosis said;
  absl::string_view rest = absl::StripPrefix(verdict, "INVALID_ARGUMENT: ");
  if (absl::ConsumePrefix(&rest, "errors validating service config: ["))
    absl::ConsumeSuffix(&rest, "]");
  const std::size_t error = rest.find(" error:");
  if (absl::StartsWith(rest, "field:") && error != absl::string_view::npos &&
      !absl::StrContains(rest, "; field:")) {
    said.path = std::string(rest.substr(6, error - 6));
    rest = rest.substr(error + 7);
  }
  said.text = absl::StrCat("gRPC core refuses its part: ", rest);
  diagnoses.push_back(std::move(said));
}

}  // namespace

FileReport CheckConfig(const std::string& file, absl::string_view text,
                       const MethodCatalog* catalog) {
  FileReport report;
  report.file = file;
  std::vector<ConfigMistake> mistakes;
  const auto config = ParseConfig(text, mistakes);
  if (!config.ok() && mistakes.empty()) {
    report.diagnoses.push_back(SyntaxMistake(config.status().message()));
    return report;
  }
  for (ConfigMistake& mistake : mistakes) {
    Diagnosis said;
    said.path = std::move(mistake.path);
    said.text = std::move(mistake.text);
    report.diagnoses.push_back(std::move(said));
  }
  if (config.ok()) {
    for (const std::string& warning : config->warnings)
      report.diagnoses.push_back(Warning(warning));
    AskCore(*config, report.diagnoses);
    if (catalog != nullptr) {
      CheckNames(text, *catalog, report.diagnoses);
      DropVoidWarnings(*config, *catalog, report.diagnoses);
      CheckIdempotency(*config, *catalog, report.diagnoses);
    }
  }
  Locate(text, report);
  return report;
}

}  // namespace cli
}  // namespace retrykit
