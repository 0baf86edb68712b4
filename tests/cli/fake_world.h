// A world in memory: files by name, and what was written.
//
// Thread-safety: none.
#ifndef RETRYKIT_TESTS_CLI_FAKE_WORLD_H_
#define RETRYKIT_TESTS_CLI_FAKE_WORLD_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/world.h"

namespace retrykit {
namespace cli {

class FakeWorld final : public World {
 public:
  absl::StatusOr<std::string> Read(const std::string& path) override {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return absl::NotFoundError(absl::StrCat("cannot read ", path));
  }
  absl::Status Write(const std::string& path, absl::string_view text) override {
    if (read_only)
      return absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
    files[path] = std::string(text);
    return absl::OkStatus();
  }
  void Out(absl::string_view text) override { absl::StrAppend(&out, text); }
  void Err(absl::string_view text) override { absl::StrAppend(&err, text); }
  bool colours() const override { return terminal; }
  bool shows_progress() const override { return terminal; }

  std::map<std::string, std::string> files;
  std::string out;
  std::string err;
  bool terminal = false;
  bool read_only = false;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_TESTS_CLI_FAKE_WORLD_H_
