// The process's own files and standard streams.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_SYSTEM_WORLD_H_
#define RETRYKIT_CLI_SYSTEM_WORLD_H_

#include <string>

#include "cli/world.h"

namespace retrykit {
namespace cli {

class SystemWorld final : public World {
 public:
  absl::StatusOr<std::string> Read(const std::string& path) override;
  absl::Status Write(const std::string& path, absl::string_view text) override;
  void Out(absl::string_view text) override;
  void Err(absl::string_view text) override;
  // A terminal, and NO_COLOR not set (no-color.org).
  bool colours() const override;
  bool shows_progress() const override;

  // Whether all that was written to the output has arrived.
  bool FlushOut();
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SYSTEM_WORLD_H_
