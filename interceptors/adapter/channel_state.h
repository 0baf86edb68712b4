// One channel's view of the toolkit: which policy a method has here.
//
// Thread-safety: all members may be called from any thread; Find takes no lock
// once a thread has seen the current table.
// Lifetime: held by the channel's interceptor factory and its calls; holds the
// toolkit's core.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CHANNEL_STATE_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CHANNEL_STATE_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "interceptors/adapter/method_state.h"
#include "interceptors/adapter/snapshot_cell.h"
#include "interceptors/adapter/target_state.h"
#include "interceptors/adapter/toolkit_core.h"
#include "interceptors/config/config.h"
#include "interceptors/core/mutex.h"

namespace retrykit {

class ChannelState {
 public:
  // `only_interceptor`: no factory follows ours on this channel, so that a
  // call may have no interceptor at all.
  ChannelState(std::shared_ptr<ToolkitCore> core,
               std::shared_ptr<TargetState> target,
               std::shared_ptr<const ParsedConfig> config,
               bool only_interceptor);

  ToolkitCore& core() const { return *core_; }
  const TargetState& target() const { return *target_; }
  bool only_interceptor() const { return only_interceptor_; }
  // The config that it was made with: core keeps its part of that.
  const ParsedConfig& origin() const { return *origin_; }

  // Never null. `type` is that of the call, which a generic stub chooses.
  std::shared_ptr<const MethodState> Find(
      const grpc::experimental::ClientRpcInfo& info,
      grpc::ChannelInterface& channel);

  // Keeps the gRPC channel alive for a call that may start attempts later.
  // Null if `channel` is not a grpc::Channel (a re-issuing interceptor before
  // ours made one of its own): such calls cannot be driven.
  std::shared_ptr<grpc::Channel> Own(grpc::ChannelInterface* channel);

  // Later calls use `config`.
  void Use(std::shared_ptr<const ParsedConfig> config);

 private:
  using Key = std::pair<absl::string_view, int>;  // Method, type of call.
  struct Methods {
    std::shared_ptr<const ParsedConfig> config;
    absl::flat_hash_map<Key, std::shared_ptr<const MethodState>> known;
  };

  // Null if `methods` are those of a config that is gone.
  std::shared_ptr<const MethodState> Resolve(const Methods& methods,
                                             const Key& key,
                                             grpc::ChannelInterface& channel);
  bool SetBreaker(const Methods& methods, MethodState& method);
  // Sets the rules, or tells that calls of this type cannot be hedged.
  void Hedge(const HedgingOptions& hedging,
             grpc::internal::RpcMethod::RpcType type,
             MethodState& method) const;
  void Remember(const Key& key,
                const std::shared_ptr<const MethodState>& method,
                const std::shared_ptr<const ParsedConfig>& config);

  const std::shared_ptr<ToolkitCore> core_;
  const std::shared_ptr<TargetState> target_;
  const bool only_interceptor_;
  const std::shared_ptr<const ParsedConfig> origin_;
  SnapshotCell<Methods> methods_;

  Mutex mu_;  // One writer of methods_ at a time; guards what follows.
  std::shared_ptr<const Methods> latest_ ABSL_GUARDED_BY(mu_);

  std::atomic<grpc::ChannelInterface*> seen_{
      nullptr};                         // The channel behind owned_.
  std::weak_ptr<grpc::Channel> owned_;  // Written once, before seen_.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CHANNEL_STATE_H_
