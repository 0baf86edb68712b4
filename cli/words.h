// Numbers as people read them. Never depends on the locale.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_CLI_WORDS_H_
#define RETRYKIT_CLI_WORDS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/core/status_code_set.h"

namespace retrykit {
namespace cli {

// To about four digits: "83.4ms", "1.25s", "2m30s"; "no limit" where infinite.
std::string DurationWords(absl::Duration duration);

// "9.1 %".
std::string PercentWords(double share);

// "1 retry", "2 retries".
std::string Counted(int64_t count, absl::string_view one,
                    absl::string_view many);

// "UNAVAILABLE, ABORTED"; "no code" where empty.
std::string CodeWords(StatusCodeSet codes);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_WORDS_H_
