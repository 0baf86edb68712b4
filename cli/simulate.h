// `retrykit simulate`.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_SIMULATE_H_
#define RETRYKIT_CLI_SIMULATE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/world.h"

namespace retrykit {
namespace cli {

absl::string_view SimulateHelp();

// Returns the exit code.
int RunSimulate(const std::vector<std::string>& words, World& world);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATE_H_
