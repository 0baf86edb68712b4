// `retrykit explain`.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_EXPLAIN_H_
#define RETRYKIT_CLI_EXPLAIN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/world.h"

namespace retrykit {
namespace cli {

absl::string_view ExplainHelp();

// Returns the exit code.
int RunExplain(const std::vector<std::string>& words, World& world);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_EXPLAIN_H_
