// What somebody probably meant.
//
// Thread-safety: pure functions. None does work that grows with a long word.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_SUGGESTIONS_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_SUGGESTIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace retrykit {

// The candidate that `word` is a slip of: the same but for case, "_" and "-",
// or a few letters away (a third of the word, at most three). Empty: none.
std::string NearestWord(absl::string_view word,
                        const std::vector<std::string>& candidates);

// The duration that `text` says in another notation, in the config's own:
// "100ms" is "0.1s", "1m30s" is "90s", "5" is "5s". Empty: none.
std::string DurationMeant(absl::string_view text);

// ", did you mean X?", or nothing where `meant` is empty.
std::string DidYouMean(absl::string_view meant);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_SUGGESTIONS_H_
