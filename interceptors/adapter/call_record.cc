#include "interceptors/adapter/call_record.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "interceptors/adapter/attempt_context.h"
#include "interceptors/adapter/client_context_access.h"
#include "interceptors/adapter/grpc_time.h"
#include "interceptors/adapter/idempotency_key.h"
#include "interceptors/adapter/status_text.h"
#include "interceptors/engine/call_rules.h"

namespace retrykit {
namespace {

uint64_t NextCallId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// What ContinueFrom noted on the context.
int InboundAttempts(const grpc::ClientContext& outer) {
  static const std::string* const key = new std::string(kPreviousAttemptsKey);
  const auto text = FindMetadata(outer, *key);
  return text ? PreviousAttempts(*text) : 0;
}

BreakerScope ScopeOf(const MethodState& method) {
  if (method.breaker == nullptr) return BreakerScope::kNone;
  return method.policy->breaker->per_method ? BreakerScope::kMethod
                                            : BreakerScope::kEntry;
}

}  // namespace

CallRecord::CallRecord(std::shared_ptr<ChannelState> state,
                       std::shared_ptr<const MethodState> method,
                       std::shared_ptr<CallScopeState> scope)
    : state_(std::move(state)),
      method_(std::move(method)),
      scope_(std::move(scope)) {
  if (observed()) id_ = NextCallId();
}

CallSetup CallRecord::SetupFor(const grpc::ClientContext& outer) {
  const Clock& clock = core().clock();
  const CallOverrides none;
  const CallOverrides& overrides = scope_ != nullptr ? scope_->overrides : none;
  started_ = clock.Now();

  CallSetup setup;
  if (method_->policy != nullptr || overrides.max_attempts.value_or(1) > 1) {
    setup.budget = method_->budget.get();
  }
  setup.breaker = method_->breaker.get();
  setup.random = &core().random();
  setup.slow_call_duration = method_->slow_call_duration;
  setup.observed = observed();
  setup.deadline = DeadlineOf(outer, clock);
  setup.inbound_previous_attempts = InboundAttempts(outer);
  setup.has_parent = HasParent(outer);
  absl::optional<absl::Duration> timeout = overrides.timeout;
  if (const MethodPolicy* policy = method_->policy.get()) {
    if (!timeout) timeout = policy->timeout;
    setup.per_attempt_timeout = policy->per_attempt_timeout;
    setup.suppress_nested_retries = policy->suppress_nested_retries;
  }
  if (timeout) setup.deadline = std::min(setup.deadline, started_ + *timeout);
  if (overrides.per_attempt_timeout) {
    setup.per_attempt_timeout = *overrides.per_attempt_timeout;
  }
  SetRules(overrides, setup);
  if (method_->hedging) SetHedging(overrides, setup);
  return setup;
}

void CallRecord::SetRules(const CallOverrides& overrides, CallSetup& setup) {
  setup.rules = &method_->rules;
  if (!overrides.max_attempts) return;
  own_rules_ = method_->rules;
  own_rules_->max_attempts =
      std::min(*overrides.max_attempts, core().options().max_attempts_limit);
  setup.rules = &*own_rules_;
}

// A percentile that is known takes the place of the policy's delay.
void CallRecord::SetHedging(const CallOverrides& overrides, CallSetup& setup) {
  if (overrides.max_attempts && *overrides.max_attempts == 1) return;
  const HedgingOptions& policy = *method_->policy->hedging;
  setup.hedging = &*method_->hedging;
  setup.hedge_load = &method_->hedge_state->load;
  absl::optional<absl::Duration> learned;
  if (policy.delay_percentile > 0) {
    setup.latency = &method_->hedge_state->latency;
    learned = LearnedDelay(policy, *setup.latency, started_);
  }
  if (!learned && !overrides.max_attempts) return;
  own_hedging_ = *method_->hedging;
  if (learned) own_hedging_->delay = *learned;
  if (overrides.max_attempts) {
    own_hedging_->max_attempts =
        std::min(*overrides.max_attempts, core().options().max_attempts_limit);
  }
  setup.hedging = &*own_hedging_;
}

void CallRecord::AddIdempotencyKey(
    grpc::experimental::InterceptorBatchMethods* methods) const {
  if (method_->policy == nullptr) return;
  const std::string& header = method_->policy->idempotency_key_header;
  if (header.empty()) return;
  auto* metadata = methods->GetSendInitialMetadata();
  if (metadata->find(header) != metadata->end()) return;
  const bool given = scope_ != nullptr && scope_->overrides.idempotency_key;
  metadata->emplace(header, given ? *scope_->overrides.idempotency_key
                                  : RandomUuid(core().random()));
}

absl::optional<bool> CallRecord::RetryAfterTimeout() const {
  static const TrailingMetadata no_metadata;
  return Outcome(StatusWithoutAttempt(absl::StatusCode::kDeadlineExceeded),
                 no_metadata)
      .retryable;
}

AttemptOutcome CallRecord::Outcome(const grpc::Status& status,
                                   const TrailingMetadata& trailing) const {
  AttemptOutcome outcome = OutcomeOf(status, trailing);
  if (scope_ != nullptr && scope_->overrides.retry_predicate != nullptr &&
      !status.ok()) {
    outcome.retryable = scope_->overrides.retry_predicate(status, trailing);
  }
  return outcome;
}

void CallRecord::Tell(CallEvent event, const grpc::Status& status,
                      const std::string& peer) const {
  event.call = id_;
  event.target = target().name();
  event.method = method_->name;
  if (method_->policy != nullptr) event.entry = method_->policy->entry;
  event.breaker_scope = ScopeOf(*method_);
  if (const RetryBudget* budget = method_->budget.get()) {
    event.budget_milli_tokens = budget->milli_tokens();
    event.budget_max_milli_tokens = budget->max_milli_tokens();
  }
  const std::string message = status.error_message();
  event.message = message;
  event.peer = peer;
  if (scope_ != nullptr) scope_->Note(event, status);
  core().Tell(event);
}

grpc::Status CallRecord::FinalStatus(const FinishCall& finish,
                                     const grpc::Status* attempt,
                                     const grpc::Status* last_failure) const {
  grpc::Status status;
  if (attempt != nullptr) {
    status = *attempt;
  } else if (finish.reason == Reason::kBreaker && finish.attempts == 0) {
    status = RefusedStatus(finish.retry_after);
  } else {
    status = StatusWithoutAttempt(finish.code);
  }
  if (!core().options().annotate_status) return status;
  return Annotated(status, finish.reason, finish.attempts, last_failure);
}

grpc::Status CallRecord::RefusedStatus(absl::Duration time_left) const {
  const MethodPolicy& policy = *method_->policy;
  const std::string& breaker = policy.breaker && policy.breaker->per_method
                                   ? method_->name
                                   : policy.entry;
  return BreakerOpenStatus(target().name(), breaker, time_left,
                           core().random());
}

void CallRecord::Complete(const grpc::Status& status, Reason reason) const {
  if (scope_ == nullptr) return;
  scope_->Complete(status, reason, core().clock().Now() - started_);
}

}  // namespace retrykit
