// What a simulation comes to: the figures that are compared, as a table.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_CLI_SIMULATOR_FIGURES_H_
#define RETRYKIT_CLI_SIMULATOR_FIGURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "cli/simulator/measurements.h"
#include "cli/simulator/scenario.h"

namespace retrykit {
namespace cli {

// From the first phase's beginning to the last one's end, by whole samples.
struct Trouble {
  int first = 0;
  int behind = 0;  // The sample after the last one.
};
absl::optional<Trouble> TroubleOf(const Scenario& scenario);

struct Figures {
  int64_t offered = 0;
  int64_t attempts = 0;
  double amplification = 0;  // Attempts over calls.
  double success_share = 0;  // Of the calls.
  absl::Duration p50;        // Of successful calls.
  absl::Duration p99;

  // During and after the trouble; unset without any, or nothing after it.
  absl::optional<double> trouble_amplification;
  absl::optional<double> trouble_goodput;  // Successes per second.
  absl::optional<double> after_goodput;
  // From the trouble's end until no sample fails more than 5 % of its calls;
  // infinite: not before the end.
  absl::optional<absl::Duration> recovery;
};

Figures FiguresOf(const Scenario& scenario, const Measurements& measured);

// A run and its name.
struct NamedRun {
  std::string name;
  Measurements measured;
};

std::string FiguresTable(const Scenario& scenario,
                         const std::vector<NamedRun>& runs);

// {"runs": [{"name", ..., "series": {...}}]}; null where there is no figure.
std::string FiguresJson(const Scenario& scenario,
                        const std::vector<NamedRun>& runs);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_FIGURES_H_
