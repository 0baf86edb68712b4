// JSON as the commands print it: keys in the order given, two blanks of indent,
// a newline at the end. Never depends on the locale.
//
// Thread-safety: pure.
#ifndef RETRYKIT_CLI_JSON_OUTPUT_H_
#define RETRYKIT_CLI_JSON_OUTPUT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/time/time.h"

namespace retrykit {
namespace cli {

using OrderedJson = nlohmann::ordered_json;

// What is not UTF-8 (a file's name, say) is replaced.
std::string JsonText(const OrderedJson& json);

// Seconds to the microsecond; null where infinite.
OrderedJson JsonSeconds(absl::Duration duration);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_JSON_OUTPUT_H_
