// Reads the fields of a JSON object, strictly: every mistake is recorded with
// its path, and a key that nobody asked for is one.
//
//   ObjectReader clients(value, errors);
//   scenario.count = clients.Whole("count", 1, 1, 10'000);
//   clients.Finish();
//
// Thread-safety: none. Lifetime: value and errors must outlive it; the path in
// `errors` must be the object's while it is used.
#ifndef RETRYKIT_CLI_SIMULATOR_OBJECT_READER_H_
#define RETRYKIT_CLI_SIMULATOR_OBJECT_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/config/config_errors.h"
#include "interceptors/config/json_value.h"

namespace retrykit {
namespace cli {

class ObjectReader {
 public:
  // Anything but an object is recorded as a mistake and read as an empty one.
  ObjectReader(const JsonValue& value, ConfigErrors& errors);

  // Null where it is absent (or null).
  const JsonValue* Find(const std::string& key);

  // Each gives `otherwise` where the field is absent or wrong.
  int64_t Whole(const std::string& key, int64_t otherwise, int64_t least,
                int64_t most);
  double Number(const std::string& key, double otherwise, double least,
                double most);
  absl::Duration Time(const std::string& key, absl::Duration otherwise,
                      absl::Duration least, absl::Duration most);
  // One of `choices`; the index.
  int Choice(const std::string& key, int otherwise,
             const std::vector<std::string>& choices);
  std::string Text(const std::string& key, const std::string& otherwise);

  // Records the keys that were not asked for.
  void Finish();

  void AddError(const std::string& key, absl::string_view error);

 private:
  const JsonValue* FindOfKind(const std::string& key, JsonValue::Kind kind,
                              absl::string_view want);

  const JsonValue& value_;
  ConfigErrors& errors_;
  std::vector<std::string> asked_;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_OBJECT_READER_H_
