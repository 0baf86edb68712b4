// `retrykit check`.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_CHECK_H_
#define RETRYKIT_CLI_CHECK_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/world.h"

namespace retrykit {
namespace cli {

absl::string_view CheckHelp();

// Returns the exit code.
int RunCheck(const std::vector<std::string>& words, World& world);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_CHECK_H_
