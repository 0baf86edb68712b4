#include "cli/simulate.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/config_check.h"
#include "cli/diagnosis.h"
#include "cli/explanation.h"
#include "cli/progress_bar.h"
#include "cli/seeded_random.h"
#include "cli/simulator/contention.h"
#include "cli/simulator/figures.h"
#include "cli/simulator/plot.h"
#include "cli/simulator/scenario.h"
#include "cli/simulator/simulation.h"
#include "cli/usage.h"
#include "interceptors/config/config.h"
#include "interceptors/config/strict_json.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kHelp[] =
    R"(usage: retrykit simulate [flags] FILE...
       retrykit simulate --aws [--clients=N] [--runs=N] [--seed=N] [--json]
       retrykit simulate --print-scenario

Sends simulated calls to a simulated server, through the engine, budget, breaker
and backoff of production, and compares service configs side by side.

  --scenario=FILE    clients, server, outages and slow phases; see
                     --print-scenario for the one that is used without it
  --jitters=A,B,...  the first FILE once with each of these jitters, too
  --svg=FILE         load, success, budget and breakers over time as a picture
  --seed=N           other chance; the same seed gives the same output
  --json             the table and its curves as JSON
  --aws              the contention experiment of the article "Exponential
                     Backoff And Jitter" (AWS, 2015)
  --print-scenario   prints the default scenario, to begin with

A scenario has "duration", "method" (whose policy is used), "callDeadline",
"clients" {count, loop: open|closed, arrivals: poisson|constant, rate, or
concurrency and thinkTime}, "server" {capacity, queue, serviceTime,
serviceTimes: exponential|constant, networkDelay, overloadCode} and "phases"
[{kind: outage|hang|slow, from, to, share, code, factor}].

Exit code: 0 good, 1 a config or the scenario is invalid, 2 wrong usage or an
unreadable file.

Examples:
  retrykit simulate --svg=outage.svg before.json after.json
  retrykit simulate --jitters=FULL,NONE service_config.json
  retrykit simulate --aws
)";

struct Contestant {
  std::string name;
  SimulatedPolicy policy;
};

const std::vector<Jitter>& AllJitters() {
  static const auto& all = *new std::vector<Jitter>{
      Jitter::kDecorrelated, Jitter::kFull, Jitter::kEqual,
      Jitter::kProportional, Jitter::kNone};
  return all;
}

// Returns the exit code.
int LoadScenario(const Arguments& arguments, World& world, Scenario& scenario) {
  std::string text(DefaultScenarioText());
  const std::string file = arguments.Text("scenario");
  if (!file.empty()) {
    auto read = world.Read(file);
    if (!read.ok()) return Unreadable(read.status(), world);
    text = *std::move(read);
  }
  ConfigErrors errors;
  scenario = ReadScenario(text, errors);
  if (errors.ok()) return kGood;
  FileReport report;
  report.file = file;
  for (const ConfigMistake& mistake : errors.ToList()) {
    Diagnosis said;
    said.path = mistake.path;
    said.text = mistake.text;
    report.diagnoses.push_back(std::move(said));
  }
  if (ParseStrictJson(text).ok()) Locate(text, report);
  world.Err(ReportText(report, false));
  return kInvalid;
}

int LoadConfig(const std::string& file, const std::string& method, World& world,
               std::vector<Contestant>& contestants) {
  const auto text = world.Read(file);
  if (!text.ok()) return Unreadable(text.status(), world);
  const FileReport report = CheckConfig(file, *text, nullptr);
  const auto config = ParseConfig(*text);
  if (report.errors() > 0 || !config.ok()) {
    world.Err(ReportText(report, false));
    return kInvalid;
  }
  Contestant contestant;
  contestant.name = file;
  contestant.policy.throttling = config->throttling;
  const auto policy = config->table->Find(method);
  if (policy != nullptr) contestant.policy.method = *policy;
  contestants.push_back(std::move(contestant));
  return kGood;
}

absl::Status AddJitters(const std::string& list,
                        std::vector<Contestant>& contestants) {
  const Contestant first = contestants.front();
  if (!first.policy.method.retry) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--jitters: ", first.name, " does not retry the scenario's method"));
  }
  for (const absl::string_view name : absl::StrSplit(list, ',')) {
    const auto jitter =
        std::find_if(AllJitters().begin(), AllJitters().end(),
                     [&](Jitter known) { return name == JitterText(known); });
    if (jitter == AllJitters().end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--jitters: no jitter ", name));
    }
    Contestant other = first;
    other.name = absl::StrCat(first.name, " ", name);
    other.policy.method.retry->backoff.jitter = *jitter;
    contestants.push_back(std::move(other));
  }
  return absl::OkStatus();
}

std::vector<NamedRun> RunAll(const Scenario& scenario,
                             const std::vector<Contestant>& contestants,
                             uint64_t seed, World& world) {
  std::vector<NamedRun> runs;
  ProgressBar bar(world);
  const auto count = static_cast<double>(contestants.size());
  for (const Contestant& contestant : contestants) {
    const auto done = static_cast<double>(runs.size());
    runs.push_back(
        {contestant.name,
         Simulate(scenario, contestant.policy, seed,
                  [&](double share) { bar.Show((done + share) / count); })});
  }
  return runs;
}

int Compare(const Arguments& arguments, uint64_t seed, World& world) {
  Scenario scenario;
  int code = LoadScenario(arguments, world, scenario);
  if (code != kGood) return code;
  std::vector<Contestant> contestants;
  for (const std::string& file : arguments.files())
    code =
        std::max(code, LoadConfig(file, scenario.method, world, contestants));
  if (code != kGood) return code;
  if (arguments.Has("jitters")) {
    const auto added = AddJitters(arguments.Text("jitters"), contestants);
    if (!added.ok()) return WrongUsage("simulate", added, world);
  }
  const auto runs = RunAll(scenario, contestants, seed, world);
  world.Out(arguments.Has("json") ? FiguresJson(scenario, runs)
                                  : FiguresTable(scenario, runs));
  if (!arguments.Has("svg")) return kGood;
  const absl::Status written =
      world.Write(arguments.Text("svg"), PlotSvg(scenario, runs));
  return written.ok() ? kGood : Unreadable(written, world);
}

int Contend(const Arguments& arguments, uint64_t seed, World& world) {
  const auto clients = arguments.Whole("clients", 100, 1, 1000);
  if (!clients.ok()) return WrongUsage("simulate", clients.status(), world);
  const auto runs = arguments.Whole("runs", 100, 1, 10'000);
  if (!runs.ok()) return WrongUsage("simulate", runs.status(), world);
  const ContentionOptions options{static_cast<int>(*clients),
                                  static_cast<int>(*runs), seed};
  std::vector<ContentionRow> rows;
  {
    ProgressBar bar(world);
    rows = RunContention(options, [&](double share) { bar.Show(share); });
  }
  world.Out(arguments.Has("json") ? ContentionJson(options, rows)
                                  : ContentionTable(options, rows));
  return kGood;
}

}  // namespace

absl::string_view SimulateHelp() { return kHelp; }

int RunSimulate(const std::vector<std::string>& words, World& world) {
  const auto arguments = Arguments::Parse(words, {{"json"},
                                                  {"aws"},
                                                  {"print-scenario"},
                                                  {"scenario", true},
                                                  {"jitters", true},
                                                  {"svg", true},
                                                  {"seed", true},
                                                  {"clients", true},
                                                  {"runs", true}});
  if (!arguments.ok()) return WrongUsage("simulate", arguments.status(), world);
  const auto seed = arguments->Whole("seed", kDefaultSeed, 0, 1'000'000'000);
  if (!seed.ok()) return WrongUsage("simulate", seed.status(), world);
  if (arguments->Has("print-scenario")) {
    world.Out(DefaultScenarioText());
    return kGood;
  }
  if (arguments->Has("aws"))
    return Contend(*arguments, static_cast<uint64_t>(*seed), world);
  if (arguments->files().empty()) {
    return WrongUsage("simulate",
                      absl::InvalidArgumentError("no file is named"), world);
  }
  return Compare(*arguments, static_cast<uint64_t>(*seed), world);
}

}  // namespace cli
}  // namespace retrykit
