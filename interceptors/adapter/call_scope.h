// Overrides the policy for one call, and keeps its report.
//
//   grpc::ClientContext context;
//   retrykit::CallScope scope(context);
//   scope.set_max_attempts(2);
//   grpc::Status status = stub->Charge(&context, request, &response);
//   for (const auto& attempt : scope.report().attempts) ...
//
// The scope must be made before the call is started. The first call on the
// context takes it; a later call on the same address starts without one. A
// process that has no scope pays one relaxed load per call.
//
// Thread-safety: the setters belong to one thread, before the call; report()
// may be called from any thread at any time.
// Lifetime: the scope may be destroyed at any time; a report that was fetched
// before stays valid.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CALL_SCOPE_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CALL_SCOPE_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"

namespace retrykit {

struct AttemptReport {
  int number = 0;  // From 1.
  AttemptKind kind = AttemptKind::kFirst;
  std::string peer;  // As ClientContext::peer(), "" where that is not known.
  absl::Duration start = absl::ZeroDuration();  // Since the call started.
  absl::Duration duration = absl::ZeroDuration();
  grpc::Status status;
  absl::Duration delay = absl::ZeroDuration();    // Waited before this attempt.
  DelaySource delay_source = DelaySource::kNone;  // Where that delay came from.
};

struct CallReport {
  bool complete = false;  // The call has ended.
  std::vector<AttemptReport> attempts;
  grpc::Status status;            // As the application gets it.
  Reason reason = Reason::kNone;  // Why the call ended.
  absl::Duration duration = absl::ZeroDuration();
};

using TrailingMetadata = std::multimap<grpc::string_ref, grpc::string_ref>;

// Whether an attempt's failure is worth another attempt: true adds a retry
// that the policy would not make, false vetoes one, nullopt leaves it to the
// policy. Not asked about OK. Called once per failed attempt, on any thread,
// without a lock held; it must not block.
using RetryPredicate = std::function<absl::optional<bool>(
    const grpc::Status&, const TrailingMetadata&)>;

class CallScopeState;

class CallScope {
 public:
  explicit CallScope(grpc::ClientContext& context);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // No second attempt and no hedge, whatever the config says.
  void set_no_retries() { set_max_attempts(1); }
  // Attempts in all, the first included; at least 1, at most
  // Options::max_attempts_limit. Without a retryPolicy in the config, the
  // backoff has BackoffOptions' defaults and only the predicate finds anything
  // retryable. Default: the config's.
  void set_max_attempts(int max_attempts);
  // > 0; InfiniteDuration(): none; zero or less ends each attempt at once.
  // Default: the config's.
  void set_per_attempt_timeout(absl::Duration timeout);
  // > 0; the overall limit is still the earliest of all; zero or less ends the
  // call at once. Default: the config's.
  void set_timeout(absl::Duration timeout);
  void set_retry_predicate(RetryPredicate predicate);
  // The value of the config's idempotency key header. Default: a random UUID.
  void set_idempotency_key(std::string key);

  // What has happened so far; complete once the call has ended.
  CallReport report() const;

 private:
  const grpc::ClientContext* context_;
  std::shared_ptr<CallScopeState> state_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CALL_SCOPE_H_
