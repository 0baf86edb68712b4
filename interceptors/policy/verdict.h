// After an attempt: go on or end, and why. The heart of retrying as one short
// ordered function.
//
// The order is spec: the first rule that ends the call names the reason. See
// gRFC A6 for rules 3 to 12; retrykit's additions are named in verdict.cc.
//
//   Verdict verdict = Judge(input, rules, backoff, budget, breaker, random);
//   if (verdict.retry) ... start the next attempt after verdict.delay ...
//   else ... the call ends for verdict.reason ...
//
// Thread-safety: reentrant. The budget, which is charged here, and the breaker,
// which is asked here, are thread-safe; `backoff` is the call's own.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_VERDICT_H_
#define RETRYKIT_INTERCEPTORS_POLICY_VERDICT_H_

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/reason.h"
#include "interceptors/core/status_code_set.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {

// Everything that the verdict looks at and does not change.
struct VerdictInput {
  AttemptOutcome outcome;
  bool cancelled = false;        // By the application.
  bool deadline_passed = false;  // The overall one ended the attempt.
  bool own_timeout =
      false;  // Ended by its own per-attempt timeout (EndedByOwnTimeout).
  bool committed = false;        // Something of the attempt was handed out.
  bool buffer_exceeded = false;  // The kept messages outgrew a limit; goes
                                 // before `committed`.
  bool nested = false;           // SUPPRESS, on behalf of an inbound retry.
  int attempts = 1;              // Started so far, this one included; >= 1.
  Instant now;
  Instant deadline = Instant::InfiniteFuture();  // The overall one.
};

// The policy's numbers for one call.
struct RetryRules {
  int max_attempts = 1;  // Already clamped. 1: never retry.
  StatusCodeSet retryable;
  BackoffOptions backoff;
  // What must be left after the delay for another attempt to be worth it;
  // >= 0. Zero: any time at all.
  absl::Duration min_attempt_time = absl::Milliseconds(1);
  // A server that asks for more than this ends the call; >= 0. Zero: it may not
  // ask for any delay; infinite: for any.
  absl::Duration max_server_delay = absl::Seconds(60);
};

struct Verdict {
  bool retry = false;
  Reason reason =
      Reason::kNone;  // Why the call ends; kNone when it is retried.
  absl::Duration delay = absl::ZeroDuration();
  DelaySource source = DelaySource::kNone;
  bool budget_would_refuse = false;  // REPORT_ONLY let it pass.
};

// Rules 1 to 5, which hold for hedges too: why the attempt ends the call, or
// kNone, and a failure that may be repeated has been charged to the budget
// (null: none). `repeatable`: the codes that the policy lists.
Reason ReasonToEnd(const VerdictInput& input, const StatusCodeSet& repeatable,
                   RetryBudget* budget);

// `budget` and `breaker` may be null: no such policy.
Verdict Judge(const VerdictInput& input, const RetryRules& rules,
              Backoff& backoff, RetryBudget* budget,
              const CircuitBreaker* breaker, absl::BitGenRef random);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_VERDICT_H_
