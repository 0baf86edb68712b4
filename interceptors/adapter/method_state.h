// Everything that calls of one method on one channel share, resolved once.
//
// Thread-safety: immutable; what it points to is thread-safe.
// Lifetime: shared by the channel's table and the calls that use it.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_METHOD_STATE_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_METHOD_STATE_H_

#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/codec.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/hedge_load.h"
#include "interceptors/policy/latency_tracker.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/verdict.h"

namespace retrykit {

// What hedging learns of a method on one target.
struct HedgeState {
  HedgeLoad load;
  LatencyTracker latency;
};

struct MethodState {
  // How calls of the method are treated.
  enum class Treatment : unsigned char {
    kPassThrough,  // As if retrykit were not there.
    kAdmission,  // Asked for at the start and recorded at the end: breaker and
                 // budget.
    kDriven,     // Hijacked: attempts of our own.
  };

  MethodState(absl::string_view method, grpc::internal::RpcMethod::RpcType type,
              grpc::ChannelInterface& channel)
      : name(method),
        // Registered once, so that metrics plugins know its name; the channel
        // pointer is used during the registration alone.
        rpc(name.c_str(), /*suffix_for_stats=*/nullptr, type,
            std::shared_ptr<grpc::ChannelInterface>(std::shared_ptr<void>(),
                                                    &channel)) {}
  MethodState(const MethodState&) = delete;
  MethodState& operator=(const MethodState&) = delete;

  const std::string name;  // "/pkg.Service/Method".
  const grpc::internal::RpcMethod rpc;

  Treatment treatment = Treatment::kPassThrough;
  std::shared_ptr<const MethodPolicy> policy;  // Null: no policy.
  RetryRules rules;                     // max_attempts clamped by the options.
  std::shared_ptr<RetryBudget> budget;  // Null: no retryThrottling.
  std::shared_ptr<CircuitBreaker> breaker;  // Null: none, or DISABLED.
  absl::Duration slow_call_duration = absl::InfiniteDuration();
  absl::optional<HedgeRules> hedging;       // Unset: not hedged.
  std::shared_ptr<HedgeState> hedge_state;  // Set with hedging.
  std::shared_ptr<const Codec> codec;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_METHOD_STATE_H_
