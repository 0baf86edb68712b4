// The ClientContext of an attempt.
//
// Thread-safety: as grpc::ClientContext: not for two threads at once.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_ATTEMPT_CONTEXT_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_ATTEMPT_CONTEXT_H_

#include <grpcpp/client_context.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "interceptors/adapter/method_state.h"
#include "interceptors/core/clock.h"
#include "interceptors/engine/step.h"

namespace retrykit {

// How many attempts were made before this one, by this layer and those above.
inline constexpr char kPreviousAttemptsKey[] = "x-retrykit-previous-attempts";
// gRPC's own name: core drops it while its own retries are on.
inline constexpr char kGrpcPreviousAttemptsKey[] = "grpc-previous-rpc-attempts";

// Where the attempts of a call find what the application set.
//
// The application may have dropped its context by the second attempt, so later
// ones start from the first one's. But an interceptor after ours writes into
// the context of the attempt that it sees (a token into the metadata, say):
// where there may be one, a copy is kept that nobody touches.
class AttemptSource {
 public:
  // `outer` must live until the first attempt has been prepared.
  void Take(grpc::ClientContext& outer, bool only_interceptor);

  // `first`: the first attempt's context; null for the first attempt.
  grpc::ClientContext& For(grpc::ClientContext* first) const;

 private:
  grpc::ClientContext* outer_ = nullptr;
  std::unique_ptr<grpc::ClientContext> untouched_;
};

// The number that a kPreviousAttemptsKey header says: 0 for nonsense, and no
// more than a million, to which attempts can be added.
int PreviousAttempts(absl::string_view header);

// Makes `context` what the attempt sends: everything that `from` says (see
// AttemptSource), the attempt's deadline, the policy's waitForReady unless the
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
