#include "cli/simulator/scenario.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/simulator/object_reader.h"
#include "interceptors/config/strict_json.h"

namespace retrykit {
namespace cli {
namespace {

// More would take minutes and gigabytes.
constexpr double kMostCalls = 2e7;
constexpr int kMostPhases = 100;
constexpr absl::Duration kLongest = absl::Hours(24);
constexpr absl::Duration kShortest = absl::Microseconds(1);

constexpr char kDefaultText[] = R"({
  "duration": "60s",
  "callDeadline": "1s",
  "clients": {"count": 20, "loop": "open", "arrivals": "poisson", "rate": 400},
  "server": {
    "capacity": 10, "queue": 200, "serviceTime": "0.02s",
    "serviceTimes": "exponential", "networkDelay": "0.001s"
  },
  "phases": [{"kind": "outage", "from": "20s", "to": "30s"}]
}
)";

absl::StatusCode Code(ObjectReader& reader, const std::string& key) {
  std::vector<std::string> names;
  for (int number = 1; number <= 16; ++number) {
    names.push_back(
        absl::StatusCodeToString(static_cast<absl::StatusCode>(number)));
  }
  const int unavailable = static_cast<int>(absl::StatusCode::kUnavailable);
  return static_cast<absl::StatusCode>(
      reader.Choice(key, unavailable - 1, names) + 1);
}

void ReadClients(const JsonValue& value, Scenario& scenario,
                 ConfigErrors& errors) {
  ObjectReader reader(value, errors);
  scenario.clients = reader.Whole("count", scenario.clients, 1, 10'000);
  scenario.open_loop = reader.Choice("loop", 0, {"open", "closed"}) == 0;
  scenario.poisson = reader.Choice("arrivals", 0, {"poisson", "constant"}) == 0;
  if (scenario.open_loop) {
    scenario.rate = reader.Number("rate", scenario.rate, 1e-3, 1e6);
  } else {
    scenario.concurrency =
        reader.Whole("concurrency", scenario.concurrency, 1, 1000);
    scenario.think_time = reader.Time("thinkTime", scenario.think_time,
                                      absl::Milliseconds(1), kLongest);
  }
  for (const char* const key : {"rate", "concurrency", "thinkTime"}) {
    const bool of_open_loop = absl::string_view(key) == "rate";
    if (of_open_loop == scenario.open_loop || reader.Find(key) == nullptr)
      continue;
    reader.AddError(key, scenario.open_loop
                             ? "is for closed loops only (\"loop\": \"closed\")"
                             : "is for open loops only");
  }
  reader.Finish();
}

void ReadServer(const JsonValue& value, Scenario& scenario,
                ConfigErrors& errors) {
  ObjectReader reader(value, errors);
  scenario.capacity = reader.Whole("capacity", scenario.capacity, 1, 100'000);
  scenario.queue = reader.Whole("queue", scenario.queue, 0, 1'000'000);
  scenario.service_time =
      reader.Time("serviceTime", scenario.service_time, kShortest, kLongest);
  scenario.exponential_service =
      reader.Choice("serviceTimes", 0, {"exponential", "constant"}) == 0;
  scenario.network_delay = reader.Time("networkDelay", scenario.network_delay,
                                       absl::ZeroDuration(), kLongest);
  scenario.overload_code = Code(reader, "overloadCode");
  reader.Finish();
}

bool Sound(absl::string_view key, ConfigErrors& errors) {
  const ConfigErrors::Field field(errors, key);
  return !errors.FieldHasErrors();
}

Phase ReadPhase(const JsonValue& value, absl::Duration end,
                ConfigErrors& errors) {
  Phase phase;
  ObjectReader reader(value, errors);
  const int kind = reader.Choice("kind", 0, {"outage", "hang", "slow"});
  phase.kind = static_cast<Phase::Kind>(kind);
  phase.from =
      reader.Time("from", absl::ZeroDuration(), absl::ZeroDuration(), kLongest);
  phase.to = reader.Time("to", end, absl::ZeroDuration(), kLongest);
  if (phase.to <= phase.from && Sound("from", errors) && Sound("to", errors))
    reader.AddError("to", "must be after from");
  if (phase.from >= end)
    reader.AddError("from", "must be before the scenario's duration");
  phase.share = reader.Number("share", 1, 1e-6, 1);
  if (phase.kind == Phase::Kind::kOutage) phase.code = Code(reader, "code");
  if (phase.kind == Phase::Kind::kSlow)
    phase.factor = reader.Number("factor", phase.factor, 1e-3, 1e6);
  reader.Finish();
  return phase;
}

void ReadPhases(const JsonValue& value, Scenario& scenario,
                ConfigErrors& errors) {
  if (!value.is_array()) return errors.Add("is not a list");
  if (value.elements.size() > kMostPhases)
    return errors.Add(absl::StrCat("has more than ", kMostPhases, " phases"));
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    const ConfigErrors::Field element(errors, i);
    scenario.phases.push_back(
        ReadPhase(value.elements[i], scenario.duration, errors));
  }
  std::stable_sort(
      scenario.phases.begin(), scenario.phases.end(),
      [](const Phase& a, const Phase& b) { return a.from < b.from; });
}

// Reads the part `key` of `reader` by `read`.
template <typename Read>
void Part(const std::string& key, ObjectReader& reader, Scenario& scenario,
          ConfigErrors& errors, Read read) {
  const JsonValue* const value = reader.Find(key);
  if (value == nullptr) return;
  const ConfigErrors::Field field(errors, key);
  read(*value, scenario, errors);
}

// What is sound by itself and cannot be simulated all the same.
void CheckSize(const Scenario& scenario, ConfigErrors& errors) {
  const double seconds = absl::ToDoubleSeconds(scenario.duration);
  const double calls =
      scenario.open_loop
          ? scenario.rate * seconds
          : static_cast<double>(scenario.clients * scenario.concurrency) *
                seconds / absl::ToDoubleSeconds(scenario.think_time);
  if (calls <= kMostCalls) return;
  errors.Add(
      absl::StrFormat("cannot be simulated: up to %.0f calls, more than %.0f",
                      calls, kMostCalls));
}

}  // namespace

absl::string_view DefaultScenarioText() { return kDefaultText; }

Scenario ReadScenario(absl::string_view text, ConfigErrors& errors) {
  Scenario scenario;
  const auto root = ParseStrictJson(text);
  if (!root.ok()) {
    errors.Add(root.status().message());
    return scenario;
  }
  ObjectReader reader(*root, errors);
  scenario.duration = reader.Time("duration", scenario.duration,
                                  absl::Milliseconds(10), kLongest);
  scenario.method = reader.Text("method", scenario.method);
  if (scenario.method.empty() || scenario.method.front() != '/')
    reader.AddError("method", "is not written /pkg.Service/Method");
  scenario.call_deadline =
      reader.Time("callDeadline", scenario.call_deadline, kShortest, kLongest);
  Part("clients", reader, scenario, errors, ReadClients);
  Part("server", reader, scenario, errors, ReadServer);
  Part("phases", reader, scenario, errors, ReadPhases);
  reader.Finish();
  if (errors.ok()) CheckSize(scenario, errors);
  return scenario;
}

}  // namespace cli
}  // namespace retrykit
