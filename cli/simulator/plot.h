// Simulations as a picture: load on the server, success, budget and breaker
// over time, one line per run, the phases shaded.
//
// Thread-safety: pure.
#ifndef RETRYKIT_CLI_SIMULATOR_PLOT_H_
#define RETRYKIT_CLI_SIMULATOR_PLOT_H_

#include <string>
#include <vector>

#include "cli/simulator/figures.h"
#include "cli/simulator/scenario.h"

namespace retrykit {
namespace cli {

// An SVG document; names are escaped.
std::string PlotSvg(const Scenario& scenario,
                    const std::vector<NamedRun>& runs);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_PLOT_H_
