// What stands behind a Toolkit, and is kept alive by its channels and calls:
// options, threads, the current config, and the state of every target.
//
// Thread-safety: all members may be called from any thread.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_TOOLKIT_CORE_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_TOOLKIT_CORE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "interceptors/adapter/options.h"
#include "interceptors/adapter/runtime.h"
#include "interceptors/adapter/target_state.h"
#include "interceptors/config/config.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"
#include "interceptors/core/random_source.h"
#include "interceptors/engine/buffer_quota.h"

namespace retrykit {

class ChannelState;

class ToolkitCore : public std::enable_shared_from_this<ToolkitCore> {
 public:
  // `options` are in range.
  ToolkitCore(std::shared_ptr<const ParsedConfig> config, Options options);

  const Options& options() const { return options_; }
  const Clock& clock() const { return clock_; }
  RandomSource& random() { return *random_; }
  Runtime& runtime() { return runtime_; }
  BufferQuota& quota() { return quota_; }
  bool observed() const { return !options_.observers.empty(); }

  std::shared_ptr<const ParsedConfig> config() const;

  // A channel's part of the toolkit; `only_interceptor` as in ChannelState.
  std::shared_ptr<ChannelState> AddChannel(const std::string& target,
                                           bool only_interceptor);

  // The keys of core's part in which a live channel, which keeps that part
  // from its creation, differs from `config`; sorted.
  std::vector<std::string> DifferencesFromChannels(
      const ParsedConfig& config) const;

  // New calls use `config`, budgets and breakers follow.
  void Reload(std::shared_ptr<const ParsedConfig> config);

  // Tells the observers, in their order.
  void Tell(const CallEvent& event) const;

  // Null if no channel of the target is left.
  std::shared_ptr<TargetState> FindTarget(const std::string& target) const;

 private:
  std::shared_ptr<TargetState> TargetFor(const std::string& target)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Options options_;
  const Clock& clock_;
  const std::unique_ptr<RandomSource> own_random_;  // Null: the system's.
  RandomSource* const random_;
  Runtime runtime_;
  BufferQuota quota_;

  mutable Mutex mu_;
  std::shared_ptr<const ParsedConfig> config_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, std::weak_ptr<TargetState>> targets_
      ABSL_GUARDED_BY(mu_);
  std::vector<std::weak_ptr<ChannelState>> channels_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_TOOLKIT_CORE_H_
