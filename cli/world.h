// What a command touches: files, the two outputs, and whether they are
// terminals. Everything else in cli/ is a function of its arguments.
//
// Thread-safety: none; a command runs on one thread.
#ifndef RETRYKIT_CLI_WORLD_H_
#define RETRYKIT_CLI_WORLD_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace retrykit {
namespace cli {

// Exit codes.
constexpr int kGood = 0;
constexpr int kInvalid = 1;   // A config has mistakes.
constexpr int kUnusable = 2;  // Wrong usage, or a file that cannot be read.

class World {
 public:
  virtual ~World() = default;

  // "-" is standard input, which can be read once.
  virtual absl::StatusOr<std::string> Read(const std::string& path) = 0;
  virtual absl::Status Write(const std::string& path,
                             absl::string_view text) = 0;
  virtual void Out(absl::string_view text) = 0;
  virtual void Err(absl::string_view text) = 0;
  // Whether colours are wanted on the output, a progress bar on the errors.
  virtual bool colours() const = 0;
  virtual bool shows_progress() const = 0;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_WORLD_H_
