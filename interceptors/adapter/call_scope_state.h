// What stands behind a CallScope, and the table of the live ones.
//
// Thread-safety: said at each part.
// Lifetime: shared by the scope and the call that took it.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CALL_SCOPE_STATE_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CALL_SCOPE_STATE_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/call_scope.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/events.h"

namespace retrykit {

// Written before the call starts, read by the call.
struct CallOverrides {
  absl::optional<int> max_attempts;
  absl::optional<absl::Duration> per_attempt_timeout;
  absl::optional<absl::Duration> timeout;
  RetryPredicate retry_predicate;
  absl::optional<std::string> idempotency_key;

  // Whether the call needs attempts of our own.
  bool needs_driving() const {
    return (max_attempts && *max_attempts > 1) || per_attempt_timeout ||
           timeout || retry_predicate != nullptr;
  }
};

class CallScopeState {
 public:
  CallOverrides overrides;

  // Thread-safe from here on.

  // Notes an attempt's start or end.
  void Note(const CallEvent& event, const grpc::Status& attempt_status);
  void Complete(const grpc::Status& status, Reason reason,
                absl::Duration duration);
  CallReport report() const;

 private:
  mutable Mutex mu_;
  CallReport report_ ABSL_GUARDED_BY(mu_);
};

// The live scopes by the address of their context. Thread-safe. A program
// without any scope pays one relaxed load per call.
class CallScopeTable {
 public:
  static void Put(const grpc::ClientContext* context,
                  std::shared_ptr<CallScopeState> state);
  // Takes the scope out, so that a later call at the same address has none.
  static std::shared_ptr<CallScopeState> Take(
      const grpc::ClientContext* context);
  // Takes it out if it is still `state`'s.
  static void Remove(const grpc::ClientContext* context,
                     const CallScopeState* state);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CALL_SCOPE_STATE_H_
