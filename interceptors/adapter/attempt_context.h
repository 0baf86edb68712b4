// The ClientContext of an attempt.
//
// Thread-safety: as grpc::ClientContext: not for two threads at once.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_ATTEMPT_CONTEXT_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_ATTEMPT_CONTEXT_H_

#include <grpcpp/client_context.h>

#include "interceptors/adapter/method_state.h"
#include "interceptors/core/clock.h"
#include "interceptors/engine/step.h"

namespace retrykit {

// Makes `context` what the attempt sends: everything that `from` says (the
// application's context for the first attempt, the first attempt's for later
// ones), the attempt's deadline, the policy's waitForReady unless the
// application spoke, and how many attempts came before.
void PrepareAttempt(grpc::ClientContext& from, const StartAttempt& action,
                    const MethodState& method, const Clock& clock,
                    grpc::ClientContext& context);

// While one stands, the context is known to our factory as an attempt's: it
// makes no attempts of the attempt. It is the address that counts, since a
// later interceptor may make calls of its own on this thread meanwhile.
class AttemptMark {
 public:
  explicit AttemptMark(const grpc::ClientContext* context) : outer_(current_) {
    current_ = context;
  }
  ~AttemptMark() { current_ = outer_; }
  AttemptMark(const AttemptMark&) = delete;
  AttemptMark& operator=(const AttemptMark&) = delete;

  static bool IsOn(const grpc::ClientContext* context) {
    return current_ == context;
  }

 private:
  static thread_local const grpc::ClientContext* current_;
  const grpc::ClientContext* const outer_;
};

// gRPC tells only reactors whether "headers" were really there or the server
// answered with trailers alone. Ask once the headers batch is done.
bool TrailersOnly(grpc::ClientContext& context);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_ATTEMPT_CONTEXT_H_
