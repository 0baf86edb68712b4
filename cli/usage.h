// How commands complain about what they were given.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_USAGE_H_
#define RETRYKIT_CLI_USAGE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/world.h"

namespace retrykit {
namespace cli {

// Both say so on the errors and return kUnusable.
int WrongUsage(absl::string_view command, const absl::Status& why,
               World& world);
int Unreadable(const absl::Status& why, World& world);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_USAGE_H_
