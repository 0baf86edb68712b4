// Decimal numbers read as decimals, so that 0.29 is 290 thousandths and not
// 289.
//
// Thread-safety: pure.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_DECIMAL_TEXT_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_DECIMAL_TEXT_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace retrykit {

// `text` in thousandths; what stands behind the third decimal is cut off.
// "0.1" is 100, "1e-1" is 100, "2" is 2000, "0.0009" is 0. Unset: not a JSON
// number (blanks around it and a "+" are allowed), negative, or 2^32 or more.
absl::optional<int64_t> ParseThousandths(absl::string_view text);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_DECIMAL_TEXT_H_
