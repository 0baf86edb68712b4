// All mistakes of one config, each with the path of its field, in the form
// that gRPC core gives them.
//
//   ConfigErrors errors;
//   {
//     ConfigErrors::Field policy(errors, "retryPolicy");
//     ConfigErrors::Field attempts(errors, "maxAttempts");
//     errors.Add("must be at least 2");
//   }
//   errors.ToStatus();  // errors validating service config:
//                       //     [field:retryPolicy.maxAttempts error:must be
//                       ...]
//
// Thread-safety: not thread-safe.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_CONFIG_ERRORS_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_CONFIG_ERRORS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace retrykit {

// One mistake; `path` is empty where it has none ("and 12 more").
struct ConfigMistake {
  std::string path;
  std::string text;
};

class ConfigErrors {
 public:
  // Mistakes beyond that many are counted and not told one by one.
  static constexpr std::size_t kMaxErrors = 1000;

  // Appends to the path while it lives. Scopes must nest.
  class Field {
   public:
    Field(ConfigErrors& errors, absl::string_view key);
    Field(ConfigErrors& errors, std::size_t index);
    ~Field() { errors_.path_.resize(old_size_); }
    Field(const Field&) = delete;
    Field& operator=(const Field&) = delete;

   private:
    ConfigErrors& errors_;
    const std::size_t old_size_;
  };

  // Records a mistake at the current path.
  void Add(absl::string_view error);

  // Makes FieldHasErrors() true at the path's child `key` without a mistake of
  // its own: the real one stands elsewhere (a misspelt key).
  void Excuse(absl::string_view key);

  // Whether something has been said about the current path already, or no
  // more will be.
  bool FieldHasErrors() const;

  const std::string& path() const { return path_; }
  bool ok() const { return errors_.empty(); }
  // No further mistake will be told: do not work for its text.
  bool full() const { return told_ >= kMaxErrors; }

  // OK, or InvalidArgument with all mistakes, by path.
  absl::Status ToStatus() const;

  // The same one by one.
  std::vector<ConfigMistake> ToList() const;

 private:
  // "a[2]" before "a[10]".
  struct PathLess {
    bool operator()(const std::string& a, const std::string& b) const;
  };

  std::string path_;
  std::map<std::string, std::vector<std::string>, PathLess> errors_;
  absl::flat_hash_set<std::string> excused_;
  std::size_t told_ = 0;
  std::size_t untold_ = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_CONFIG_ERRORS_H_
