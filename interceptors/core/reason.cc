#include "interceptors/core/reason.h"

namespace retrykit {

absl::string_view ReasonText(Reason reason) {
  switch (reason) {
#define RETRYKIT_REASON_TEXT(name, text, says_so) \
  case Reason::name:                              \
    return text;
    RETRYKIT_REASONS(RETRYKIT_REASON_TEXT)
#undef RETRYKIT_REASON_TEXT
  }
  return "unknown";
}

bool ReasonSpeaksAfterOneAttempt(Reason reason) {
  switch (reason) {
#define RETRYKIT_REASON_SPEAKS(name, text, says_so) \
  case Reason::name:                                \
    return says_so;
    RETRYKIT_REASONS(RETRYKIT_REASON_SPEAKS)
#undef RETRYKIT_REASON_SPEAKS
  }
  return false;
}

}  // namespace retrykit
