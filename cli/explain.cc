#include "cli/explain.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/config_check.h"
#include "cli/explanation.h"
#include "cli/policy_facts.h"
#include "cli/seeded_random.h"
#include "cli/usage.h"
#include "interceptors/config/config.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kHelp[] =
    R"(usage: retrykit explain [--json] FILE [/pkg.Service/Method]

Says what a service config amounts to, for one method or for all its entries:
the waits before retries, the longest time to a failure, attempts at worst,
when the budget stops retries and what brings them back, when the circuit
breaker opens. "-" is standard input.

  --json  the same as JSON, durations in seconds

Exit code: 0 good, 1 the config is invalid, 2 wrong usage or an unreadable file.

Examples:
  retrykit explain service_config.json
  retrykit explain service_config.json /payments.v1.Payments/Charge
)";

absl::Status CheckFiles(const std::vector<std::string>& files) {
  if (files.empty()) return absl::InvalidArgumentError("no file is named");
  if (files.size() > 2)
    return absl::InvalidArgumentError("one file and one method at most");
  if (files.size() == 2 && (files[1].empty() || files[1].front() != '/')) {
    return absl::InvalidArgumentError(
        absl::StrCat(files[1], ": a method is written /pkg.Service/Method"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view ExplainHelp() { return kHelp; }

int RunExplain(const std::vector<std::string>& words, World& world) {
  const auto arguments = Arguments::Parse(words, {{"json"}});
  if (!arguments.ok()) return WrongUsage("explain", arguments.status(), world);
  const std::vector<std::string>& files = arguments->files();
  const absl::Status usage = CheckFiles(files);
  if (!usage.ok()) return WrongUsage("explain", usage, world);
  const auto text = world.Read(files[0]);
  if (!text.ok()) return Unreadable(text.status(), world);
  const FileReport report = CheckConfig(files[0], *text, nullptr);
  if (report.errors() > 0) {
    world.Err(ReportText(report, false));
    return kInvalid;
  }
  const auto config = ParseConfig(*text);
  if (!config.ok()) return kInvalid;
  SeededRandom random(kDefaultSeed);
  const std::vector<PolicyFacts> all =
      FactsOf(*config, files.size() == 2 ? files[1] : "", random);
  if (arguments->Has("json")) {
    world.Out(ExplanationJson(all));
    return kGood;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) world.Out("\n");
    world.Out(ExplanationText(all[i]));
  }
  if (all.empty()) world.Out("no entry: all calls are passed through.\n");
  return kGood;
}

}  // namespace cli
}  // namespace retrykit
