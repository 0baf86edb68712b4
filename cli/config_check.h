// Everything that is wrong with a service config, or probably not meant.
//
// Thread-safety: pure functions.
// Errors: none: whatever the text, the answer is a report.
#ifndef RETRYKIT_CLI_CONFIG_CHECK_H_
#define RETRYKIT_CLI_CONFIG_CHECK_H_

#include <string>

#include "absl/strings/string_view.h"
#include "cli/diagnosis.h"
#include "cli/method_catalog.h"

namespace retrykit {
namespace cli {

// retrykit's verdict; gRPC core's on the part that core gets; with a `catalog`
// (may be null) also the names that it does not have, and retries of methods
// that declare no idempotency.
FileReport CheckConfig(const std::string& file, absl::string_view text,
                       const MethodCatalog* catalog);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_CONFIG_CHECK_H_
