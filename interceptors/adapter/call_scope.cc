#include "interceptors/adapter/call_scope.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "interceptors/adapter/call_scope_state.h"

namespace retrykit {
namespace {

struct Shard {
  Mutex mu;
  absl::flat_hash_map<const grpc::ClientContext*,
                      std::shared_ptr<CallScopeState>>
      scopes ABSL_GUARDED_BY(mu);
};

std::atomic<int64_t> live_scopes{0};

Shard& ShardOf(const grpc::ClientContext* context) {
  static auto* shards = new std::array<Shard, 16>();
  return (
      *shards)[(reinterpret_cast<uintptr_t>(context) >> 6) % shards->size()];
}

}  // namespace

void CallScopeTable::Put(const grpc::ClientContext* context,
                         std::shared_ptr<CallScopeState> state) {
  Shard& shard = ShardOf(context);
  MutexLock lock(shard.mu);
  std::shared_ptr<CallScopeState>& place = shard.scopes[context];
  if (place == nullptr) live_scopes.fetch_add(1, std::memory_order_relaxed);
  place = std::move(state);
}

std::shared_ptr<CallScopeState> CallScopeTable::Take(
    const grpc::ClientContext* context) {
  if (live_scopes.load(std::memory_order_relaxed) == 0) return nullptr;
  Shard& shard = ShardOf(context);
  MutexLock lock(shard.mu);
  const auto found = shard.scopes.find(context);
  if (found == shard.scopes.end()) return nullptr;
  std::shared_ptr<CallScopeState> state = std::move(found->second);
  shard.scopes.erase(found);
  live_scopes.fetch_sub(1, std::memory_order_relaxed);
  return state;
}

void CallScopeTable::Remove(const grpc::ClientContext* context,
                            const CallScopeState* state) {
  Shard& shard = ShardOf(context);
  MutexLock lock(shard.mu);
  const auto found = shard.scopes.find(context);
  if (found == shard.scopes.end() || found->second.get() != state) return;
  shard.scopes.erase(found);
  live_scopes.fetch_sub(1, std::memory_order_relaxed);
}

void CallScopeState::Note(const CallEvent& event,
                          const grpc::Status& attempt_status) {
  MutexLock lock(mu_);
  if (event.type == CallEvent::Type::kAttemptStarted) {
    AttemptReport& attempt = report_.attempts.emplace_back();
    attempt.number = event.attempt;
    attempt.kind = event.attempt_kind;
    attempt.start = event.since_start;
    attempt.delay = event.delay;
    attempt.delay_source = event.delay_source;
  } else if (event.type == CallEvent::Type::kAttemptEnded) {
    AttemptReport& attempt =
        report_.attempts[static_cast<size_t>(event.attempt) - 1];
    attempt.duration = event.duration;
    attempt.peer = std::string(event.peer);
    attempt.status = attempt_status;
  }
}

void CallScopeState::Complete(const grpc::Status& status, Reason reason,
                              absl::Duration duration) {
  MutexLock lock(mu_);
  report_.complete = true;
  report_.status = status;
  report_.reason = reason;
  report_.duration = duration;
}

CallReport CallScopeState::report() const {
  MutexLock lock(mu_);
  return report_;
}

CallScope::CallScope(grpc::ClientContext& context)
    : context_(&context), state_(std::make_shared<CallScopeState>()) {
  CallScopeTable::Put(context_, state_);
}

CallScope::~CallScope() { CallScopeTable::Remove(context_, state_.get()); }

void CallScope::set_max_attempts(int max_attempts) {
  state_->overrides.max_attempts = std::max(max_attempts, 1);
}

void CallScope::set_per_attempt_timeout(absl::Duration timeout) {
  state_->overrides.per_attempt_timeout = timeout;
}

void CallScope::set_timeout(absl::Duration timeout) {
  state_->overrides.timeout = timeout;
}

void CallScope::set_retry_predicate(RetryPredicate predicate) {
  state_->overrides.retry_predicate = std::move(predicate);
}

void CallScope::set_idempotency_key(std::string key) {
  state_->overrides.idempotency_key = std::move(key);
}

CallReport CallScope::report() const { return state_->report(); }

}  // namespace retrykit
