// The `retrykit` command: which of its commands is meant.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_COMMAND_H_
#define RETRYKIT_CLI_COMMAND_H_

#include <string>
#include <vector>

#include "cli/world.h"

namespace retrykit {
namespace cli {

// `words` without the program's name. Returns the exit code.
int RunCommand(const std::vector<std::string>& words, World& world);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_COMMAND_H_
