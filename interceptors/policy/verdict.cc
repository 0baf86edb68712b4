#include "interceptors/policy/verdict.h"

#include "absl/random/distributions.h"
#include "absl/types/optional.h"

namespace retrykit {
namespace {

Verdict End(Verdict verdict, Reason reason) {
  verdict.reason = reason;
  return verdict;
}

Verdict RetryAfter(Verdict verdict, absl::Duration delay, DelaySource source) {
  verdict.retry = true;
  verdict.delay = delay;
  verdict.source = source;
  return verdict;
}

// The call's own predicate, where it has an opinion, may add or veto; else the
// code's list, or the attempt's own timeout whatever the list says.
bool IsRetryable(const VerdictInput& input, const StatusCodeSet& repeatable) {
  return input.outcome.retryable.value_or(
      repeatable.Contains(input.outcome.code) || input.own_timeout);
}

bool SaysStop(const AttemptOutcome& outcome) {
  return outcome.pushback.kind == Pushback::Kind::kStop;
}

// What the server asked to wait: pushback before RetryInfo.
absl::optional<absl::Duration> ServerDelay(const AttemptOutcome& outcome) {
  if (outcome.pushback.kind == Pushback::Kind::kWait) {
    return outcome.pushback.delay;
  }
  if (outcome.retry_info.value_or(absl::ZeroDuration()) <=
      absl::ZeroDuration()) {
    return absl::nullopt;
  }
  return outcome.retry_info;
}

// Clients that were all told the same RetryInfo should not come back together.
absl::Duration SpreadRetryInfo(absl::Duration told, absl::BitGenRef random) {
  const absl::Duration whole = absl::Ceil(told, absl::Milliseconds(1));
  return whole + whole * absl::Uniform(random, 0.0, 0.2);
}

// Pushback exactly (gRFC A6), else RetryInfo, else backoff. A server that
// names a delay itself makes the backoff start from the beginning.
Verdict ChooseDelay(const AttemptOutcome& outcome, const RetryRules& rules,
                    Backoff& backoff, absl::BitGenRef random, Verdict verdict) {
  const absl::optional<absl::Duration> told = ServerDelay(outcome);
  if (!told) {
    return RetryAfter(verdict, backoff.Next(rules.backoff, random),
                      DelaySource::kBackoff);
  }
  backoff.Reset();
  return outcome.pushback.kind == Pushback::Kind::kWait
             ? RetryAfter(verdict, *told, DelaySource::kPushback)
             : RetryAfter(verdict, SpreadRetryInfo(*told, random),
                          DelaySource::kRetryInfo);
}

// The next attempt begins before the deadline and has its least time then.
bool Fits(absl::Duration delay, const VerdictInput& input,
          const RetryRules& rules) {
  const absl::Duration left = input.deadline - input.now;
  return delay < left && delay + rules.min_attempt_time <= left;
}

}  // namespace

// The numbers here and in Judge are those of spec.md 2.3. Retrykit's own beside
// gRFC A6: 2, the own timeout in 3, `buffer` in 6, the upper limit in 8, 9, 11,
// RetryInfo and the deadline in 12.
Reason ReasonToEnd(const VerdictInput& input, const StatusCodeSet& repeatable,
                   RetryBudget* budget) {
  // 1. Success, even if the application's cancellation was on its way.
  if (input.outcome.code == absl::StatusCode::kOk) {
    if (budget != nullptr) budget->RecordSuccess();
    return Reason::kSuccess;
  }

  // 2. Ends that say nothing about the server: nothing is charged.
  if (input.cancelled) return Reason::kCancelled;
  if (input.deadline_passed) return Reason::kDeadlineExceeded;

  // 3. and 4. Before anything else may end the call, so that a failure is
  // charged even where no retry could follow; once, though two rules ask it.
  const bool retryable = IsRetryable(input, repeatable);
  if (budget != nullptr && (retryable || SaysStop(input.outcome))) {
    budget->RecordFailure();
  }

  // 5. The status is judged before what the server says about when.
  return retryable ? Reason::kNone : Reason::kNotRetryable;
}

Verdict Judge(const VerdictInput& input, const RetryRules& rules,
              Backoff& backoff, RetryBudget* budget,
              const CircuitBreaker* breaker, absl::BitGenRef random) {
  const AttemptOutcome& outcome = input.outcome;
  Verdict verdict;

  // 1. to 5.
  const Reason reason = ReasonToEnd(input, rules.retryable, budget);
  if (reason != Reason::kNone) return End(verdict, reason);

  // 6. The outgrown buffer is the more telling cause of a commit.
  if (input.buffer_exceeded) return End(verdict, Reason::kBuffer);
  if (input.committed) return End(verdict, Reason::kCommitted);

  // 7.
  if (input.attempts >= rules.max_attempts) {
    return End(verdict, Reason::kMaxAttempts);
  }

  // 8.
  if (SaysStop(outcome) || ServerDelay(outcome).value_or(absl::ZeroDuration()) >
                               rules.max_server_delay) {
    return End(verdict, Reason::kPushback);
  }

  // 9.
  if (input.nested) return End(verdict, Reason::kNested);

  // 10.
  if (budget != nullptr && !budget->WouldAllow()) {
    if (!budget->Allows()) return End(verdict, Reason::kBudget);
    verdict.budget_would_refuse = true;
  }

  // 11. Asked only: the permit is taken when the attempt starts.
  if (breaker != nullptr && breaker->WouldRefuse(input.now)) {
    return End(verdict, Reason::kBreaker);
  }

  // 12. Never sleep towards a failure.
  const Verdict retry = ChooseDelay(outcome, rules, backoff, random, verdict);
  if (!Fits(retry.delay, input, rules)) return End(verdict, Reason::kDeadline);
  return retry;
}

}  // namespace retrykit
