#include "cli/usage.h"

#include "absl/strings/str_cat.h"

namespace retrykit {
namespace cli {

int WrongUsage(absl::string_view command, const absl::Status& why,
               World& world) {
  world.Err(absl::StrCat("retrykit ", command, ": ", why.message(),
                         "\nTry \"retrykit help ", command, "\".\n"));
  return kUnusable;
}

int Unreadable(const absl::Status& why, World& world) {
  world.Err(absl::StrCat("retrykit: ", why.message(), "\n"));
  return kUnusable;
}

}  // namespace cli
}  // namespace retrykit
