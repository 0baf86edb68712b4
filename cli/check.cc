#include "cli/check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "cli/arguments.h"
#include "cli/config_check.h"
#include "cli/diagnosis.h"
#include "cli/method_catalog.h"
#include "cli/usage.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kHelp[] =
    R"(usage: retrykit check [--json] [--strict] [--descriptor-set=FILE] FILE...

Says everything that is wrong with service configs, and what is probably not
meant. "-" is standard input. gRPC core is asked about the part that it gets.

  --descriptor-set=FILE  also: services and methods that FILE, a protobuf
                         FileDescriptorSet, does not have, and retries of
                         methods that declare no idempotency_level
  --strict               a warning counts as an error for the exit code
  --json                 the same as JSON

Exit code: 0 all are valid, 1 some are not, 2 wrong usage or an unreadable file.

Examples:
  retrykit check service_config.json
  retrykit check --json - < service_config.json
  protoc --include_imports --descriptor_set_out=api.pb api.proto &&
    retrykit check --descriptor-set=api.pb service_config.json
)";

// Unset where none is asked for.
absl::StatusOr<absl::optional<MethodCatalog>> ReadCatalog(
    const Arguments& arguments, World& world) {
  if (!arguments.Has("descriptor-set")) return absl::optional<MethodCatalog>();
  const std::string path = arguments.Text("descriptor-set");
  const auto bytes = world.Read(path);
  if (!bytes.ok()) return bytes.status();
  auto catalog = MethodCatalog::FromDescriptorSet(*bytes);
  if (!catalog.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", catalog.status().message()));
  }
  return absl::optional<MethodCatalog>(*std::move(catalog));
}

}  // namespace

absl::string_view CheckHelp() { return kHelp; }

int RunCheck(const std::vector<std::string>& words, World& world) {
  const auto arguments =
      Arguments::Parse(words, {{"json"}, {"strict"}, {"descriptor-set", true}});
  if (!arguments.ok()) return WrongUsage("check", arguments.status(), world);
  if (arguments->files().empty()) {
    return WrongUsage("check", absl::InvalidArgumentError("no file is named"),
                      world);
  }
  const auto catalog = ReadCatalog(*arguments, world);
  if (!catalog.ok()) return Unreadable(catalog.status(), world);
  int code = kGood;
  std::vector<FileReport> reports;
  for (const std::string& file : arguments->files()) {
    const auto text = world.Read(file);
    if (!text.ok()) {
      code = Unreadable(text.status(), world);
      continue;
    }
    reports.push_back(CheckConfig(file == "-" ? "<stdin>" : file, *text,
                                  catalog->has_value() ? &**catalog : nullptr));
    const FileReport& report = reports.back();
    const bool bad = report.errors() > 0 ||
                     (arguments->Has("strict") && report.warnings() > 0);
    if (bad) code = std::max(code, kInvalid);
    if (!arguments->Has("json")) world.Out(ReportText(report, world.colours()));
  }
  if (arguments->Has("json")) world.Out(ReportJson(reports));
  return code;
}

}  // namespace cli
}  // namespace retrykit
