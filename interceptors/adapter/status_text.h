// Between gRPC's statuses and what the engine reads and says.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_STATUS_TEXT_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_STATUS_TEXT_H_

#include <grpcpp/support/status.h>
#include <grpcpp/support/string_ref.h>

#include <map>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/random_source.h"
#include "interceptors/core/reason.h"

namespace retrykit {

// Reads a failure: its code, `grpc-retry-pushback-ms` of the trailing metadata
// (gRFC A6; what is not a number counts as negative), and google.rpc.RetryInfo
// of the details. Details that do not parse are ignored.
AttemptOutcome OutcomeOf(
    const grpc::Status& status,
    const std::multimap<grpc::string_ref, grpc::string_ref>& trailing);

// The status with "[retrykit: <reason> after <n> attempts]" behind its text,
// where spec asks for it: never twice along a chain of calls. `last_failure`
// (may be null) is the last real status before a deadline cut the retry.
grpc::Status Annotated(const grpc::Status& status, Reason reason, int attempts,
                       const grpc::Status* last_failure);

// What a call gets that ended without the result of an attempt, in the words
// that gRPC has for it.
grpc::Status StatusWithoutAttempt(absl::StatusCode code);

// What a call gets that the open breaker refused: UNAVAILABLE, the breaker's
// name and the time left, google.rpc.RetryInfo of that time + up to 20 %.
grpc::Status BreakerOpenStatus(absl::string_view target,
                               absl::string_view entry,
                               absl::Duration time_left, RandomSource& random);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_STATUS_TEXT_H_
