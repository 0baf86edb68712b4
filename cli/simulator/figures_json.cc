#include <cmath>

#include "cli/json_output.h"
#include "cli/simulator/figures.h"

namespace retrykit {
namespace cli {
namespace {

OrderedJson OrNull(const absl::optional<double>& number) {
  return number ? OrderedJson(*number) : OrderedJson();
}

OrderedJson SeriesJson(const Measurements& measured) {
  OrderedJson series = {{"seconds_per_sample", JsonSeconds(measured.width())}};
  for (const Sample& sample : measured.samples()) {
    series["calls"].push_back(sample.offered);
    series["attempts"].push_back(sample.attempts);
    series["ended"].push_back(sample.ended);
    series["succeeded"].push_back(sample.succeeded);
    series["budget"].push_back(std::round(sample.budget * 1e4) / 1e4);
    series["breaker_not_closed"].push_back(std::round(sample.breaker * 1e4) /
                                           1e4);
  }
  return series;
}

OrderedJson RunJson(const Scenario& scenario, const NamedRun& run) {
  const Figures figures = FiguresOf(scenario, run.measured);
  return {
      {"name", run.name},
      {"calls", figures.offered},
      {"attempts", figures.attempts},
      {"attempts_per_call", figures.amplification},
      {"attempts_per_call_in_outage", OrNull(figures.trouble_amplification)},
      {"success_share", figures.success_share},
      {"goodput_in_outage", OrNull(figures.trouble_goodput)},
      {"goodput_after", OrNull(figures.after_goodput)},
      {"recovers", figures.recovery ? OrderedJson(*figures.recovery <
                                                  absl::InfiniteDuration())
                                    : OrderedJson()},
      {"seconds_to_recover",
       JsonSeconds(figures.recovery.value_or(absl::InfiniteDuration()))},
      {"p50_seconds", JsonSeconds(figures.p50)},
      {"p99_seconds", JsonSeconds(figures.p99)},
      {"series", SeriesJson(run.measured)}};
}

}  // namespace

std::string FiguresJson(const Scenario& scenario,
                        const std::vector<NamedRun>& runs) {
  OrderedJson all = OrderedJson::array();
  for (const NamedRun& run : runs) all.push_back(RunJson(scenario, run));
  return JsonText({{"runs", all}});
}

}  // namespace cli
}  // namespace retrykit
