// What is wrong with a text that is not JSON, in the words of the person who
// wrote it.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_SYNTAX_ERROR_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_SYNTAX_ERROR_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace retrykit {

// "line 3, column 5: `what`". Lines and columns count from 1, columns in
// characters (UTF-8 sequences), lines by '\n'.
std::string AtPosition(absl::string_view text, std::size_t offset,
                       absl::string_view what);

// The same with a guess at what is wrong. `offset`: the byte at which a strict
// parser gave up; text.size() for the end. Everything before it must be sound.
std::string DescribeSyntaxError(absl::string_view text, std::size_t offset);

// The offset of the quote that opens the string which `closing_quote` closes.
std::size_t StringStart(absl::string_view text, std::size_t closing_quote);

// The offset at which the number or word around `offset` begins.
std::size_t WordStart(absl::string_view text, std::size_t offset);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_SYNTAX_ERROR_H_
