#include "interceptors/adapter/toolkit_core.h"

#include <algorithm>
#include <set>
#include <utility>

#include "interceptors/adapter/channel_state.h"

namespace retrykit {
namespace {

class FunctionRandom final : public RandomSource {
 public:
  explicit FunctionRandom(std::function<uint64_t()> function)
      : function_(std::move(function)) {}
  result_type operator()() override { return function_(); }

 private:
  const std::function<uint64_t()> function_;
};

std::unique_ptr<RandomSource> OwnRandom(const Options& options) {
  if (options.random == nullptr) return nullptr;
  return std::make_unique<FunctionRandom>(options.random);
}

const MethodPolicy* FindEntry(const PolicyTable& table,
                              absl::string_view entry) {
  for (const auto& policy : table.policies()) {
    if (policy->entry == entry) return policy.get();
  }
  return nullptr;
}

}  // namespace

ToolkitCore::ToolkitCore(std::shared_ptr<const ParsedConfig> config,
                         Options options)
    : options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : MonotonicClock()),
      own_random_(OwnRandom(options_)),
      random_(own_random_ != nullptr ? own_random_.get() : &SystemRandom()),
      runtime_(options_.threads, clock_),
      quota_(BytesLimit(options_.toolkit_buffer_limit)),
      config_(std::move(config)) {}

std::shared_ptr<const ParsedConfig> ToolkitCore::config() const {
  MutexLock lock(mu_);
  return config_;
}

std::shared_ptr<ChannelState> ToolkitCore::AddChannel(const std::string& target,
                                                      bool only_interceptor) {
  MutexLock lock(mu_);
  auto channel = std::make_shared<ChannelState>(
      shared_from_this(), TargetFor(target), config_, only_interceptor);
  channels_.erase(
      std::remove_if(channels_.begin(), channels_.end(),
                     [](const auto& known) { return known.expired(); }),
      channels_.end());
  channels_.push_back(channel);
  return channel;
}

std::shared_ptr<TargetState> ToolkitCore::TargetFor(const std::string& target) {
  std::weak_ptr<TargetState>& known = targets_[target];
  std::shared_ptr<TargetState> state = known.lock();
  if (state != nullptr) return state;
  state = std::make_shared<TargetState>(target);
  state->SetThrottling(config_->throttling);
  known = state;
  return state;
}

void ToolkitCore::Reload(std::shared_ptr<const ParsedConfig> config) {
  std::vector<std::shared_ptr<ChannelState>> channels;
  std::vector<std::shared_ptr<TargetState>> targets;
  const Instant now = clock_.Now();
  MutexLock lock(mu_);
  config_ = std::move(config);
  const PolicyTable& table = *config_->table;
  for (auto it = targets_.begin(); it != targets_.end();) {
    const auto here = it++;
    const std::shared_ptr<TargetState> target = here->second.lock();
    if (target == nullptr) {
      targets_.erase(here);
      continue;
    }
    target->SetThrottling(config_->throttling);
    targets.push_back(target);
  }
  for (const auto& known : channels_) {
    if (auto channel = known.lock()) {
      channel->Use(config_);
      channels.push_back(
          std::move(channel));  // May die only after the lock is released.
    }
  }
  // Last: no channel makes a breaker by the old config any more.
  for (const auto& target : targets) {
    target->UpdateBreakers(
        [&table](absl::string_view entry) { return FindEntry(table, entry); },
        now);
  }
}

std::vector<std::string> ToolkitCore::DifferencesFromChannels(
    const ParsedConfig& config) const {
  std::vector<std::shared_ptr<ChannelState>> channels;
  std::set<std::string> differences;
  MutexLock lock(mu_);
  for (const auto& known : channels_) {
    if (auto channel = known.lock()) {
      for (std::string& key : CoreDifferences(channel->origin(), config)) {
        differences.insert(std::move(key));
      }
      channels.push_back(std::move(channel));
    }
  }
  return std::vector<std::string>(differences.begin(), differences.end());
}

void ToolkitCore::Tell(const CallEvent& event) const {
  for (const auto& observer : options_.observers) observer->OnEvent(event);
}

std::shared_ptr<TargetState> ToolkitCore::FindTarget(
    const std::string& target) const {
  MutexLock lock(mu_);
  const auto found = targets_.find(target);
  return found == targets_.end() ? nullptr : found->second.lock();
}

}  // namespace retrykit
