// Why a call, a retry or a hedge ended: the one list.
//
// The list gives the enum, the text in final statuses, and the metric label,
// so that the same word is seen in all three.
#ifndef RETRYKIT_INTERCEPTORS_CORE_REASON_H_
#define RETRYKIT_INTERCEPTORS_CORE_REASON_H_

#include "absl/strings/string_view.h"

namespace retrykit {

// X(enumerator, text, whether a call that ends for it after one attempt says
// so)
#define RETRYKIT_REASONS(X)                                                 \
  X(kNone, "none", false)                          /* the call goes on */   \
  X(kSuccess, "success", false)                    /* OK */                 \
  X(kCancelled, "cancelled", false)                /* by the application */ \
  X(kDeadlineExceeded, "deadline_exceeded", false) /* the overall one */    \
  X(kNotRetryable, "not_retryable", false)                                  \
  X(kCommitted, "committed", false) /* something was handed out */          \
  X(kBuffer, "buffer", true)        /* kept messages outgrew a limit */     \
  X(kMaxAttempts, "max_attempts", false)                                    \
  X(kPushback, "pushback", true)     /* the server said no */               \
  X(kNested, "nested", true)         /* on behalf of an inbound retry */    \
  X(kBudget, "budget", true)         /* tokens at or below half */          \
  X(kBreaker, "breaker", true)       /* the circuit breaker is open */      \
  X(kDeadline, "deadline", true)     /* no time for another attempt */      \
  X(kHedgeLoad, "hedge_load", false) /* maxExtraLoad reached */             \
  X(kLost, "lost", false) /* an attempt: another one's result counts */     \
  X(kNotHedgeable, "not_hedgeable", false)

enum class Reason : unsigned char {
#define RETRYKIT_REASON_ENUMERATOR(name, text, says_so) name,
  RETRYKIT_REASONS(RETRYKIT_REASON_ENUMERATOR)
#undef RETRYKIT_REASON_ENUMERATOR
};

// The word of the list, as metrics and status texts show it.
absl::string_view ReasonText(Reason reason);

// True if a call that ended for `reason` names it in its status text even
// after a single attempt.
bool ReasonSpeaksAfterOneAttempt(Reason reason);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CORE_REASON_H_
