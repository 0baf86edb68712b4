// The words after a command's name: flags and files.
//
//   const auto arguments = Arguments::Parse(words, {{"json"}, {"svg", true}});
//   if (!arguments.ok()) ... usage ...
//   if (arguments->Has("json")) ...
//
// "--flag", "--flag=value" or "--flag value"; "--" ends the flags; "-" is a
// file (standard input). Abseil's flags would know neither commands with flags
// of their own nor exit codes, and end the process themselves.
//
// Thread-safety: a value type.
// Errors: InvalidArgument that names the flag.
#ifndef RETRYKIT_CLI_ARGUMENTS_H_
#define RETRYKIT_CLI_ARGUMENTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace retrykit {
namespace cli {

struct FlagSpec {
  std::string name;
  bool takes_value = false;
};

class Arguments {
 public:
  static absl::StatusOr<Arguments> Parse(const std::vector<std::string>& words,
                                         const std::vector<FlagSpec>& flags);

  bool Has(const std::string& flag) const { return flags_.count(flag) > 0; }
  // "" where it is not there; of one given twice the last.
  std::string Text(const std::string& flag) const;
  // Errors: InvalidArgument where it is not a whole number in [least, most].
  absl::StatusOr<int64_t> Whole(const std::string& flag, int64_t otherwise,
                                int64_t least, int64_t most) const;

  const std::vector<std::string>& files() const { return files_; }

 private:
  std::map<std::string, std::string> flags_;
  std::vector<std::string> files_;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_ARGUMENTS_H_
