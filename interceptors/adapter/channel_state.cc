#include "interceptors/adapter/channel_state.h"

#include <string>

#include "interceptors/engine/call_rules.h"

namespace retrykit {
namespace {

// A proxy may forward any number of method names: more than these are
// resolved anew for every call.
constexpr size_t kMostKnownMethods = 2048;

using RpcType = grpc::internal::RpcMethod::RpcType;
using Treatment = MethodState::Treatment;

bool Driven(const MethodPolicy& policy) {
  return policy.timeout || policy.wait_for_ready || policy.retry ||
         policy.hedging ||
         policy.per_attempt_timeout < absl::InfiniteDuration() ||
         (policy.breaker && policy.breaker->has_slow_calls());
}

Treatment TreatmentOf(const MethodPolicy* policy) {
  if (policy == nullptr || !policy->has_any()) return Treatment::kPassThrough;
  return Driven(*policy) ? Treatment::kDriven : Treatment::kAdmission;
}

RetryRules RulesOf(const MethodPolicy& policy, const Options& options) {
  RetryRules rules = RetryRulesOf(policy, options.max_attempts_limit);
  rules.max_server_delay = options.max_server_delay;
  return rules;
}

// A stream that the application writes to cannot be sent twice at once.
bool Hedgeable(RpcType type) {
  return type == RpcType::NORMAL_RPC || type == RpcType::SERVER_STREAMING;
}

std::shared_ptr<const Codec> CodecFor(const Options& options,
                                      const std::string& method) {
  const auto found = options.method_codecs.find(method);
  if (found != options.method_codecs.end()) return found->second;
  return options.codec != nullptr ? options.codec : ProtobufCodec();
}

}  // namespace

ChannelState::ChannelState(std::shared_ptr<ToolkitCore> core,
                           std::shared_ptr<TargetState> target,
                           std::shared_ptr<const ParsedConfig> config,
                           bool only_interceptor)
    : core_(std::move(core)),
      target_(std::move(target)),
      only_interceptor_(only_interceptor),
      origin_(config),
      methods_(std::make_shared<Methods>(Methods{config, {}})),
      latest_(methods_.Load()) {}

std::shared_ptr<const MethodState> ChannelState::Find(
    const grpc::experimental::ClientRpcInfo& info,
    grpc::ChannelInterface& channel) {
  const Key key(info.method(), static_cast<int>(info.type()));
  while (true) {
    const std::shared_ptr<const Methods>& methods = methods_.Load();
    const auto found = methods->known.find(key);
    if (found != methods->known.end()) return found->second;
    const std::shared_ptr<const Methods> kept = methods;
    const std::shared_ptr<const MethodState> method =
        Resolve(*kept, key, channel);
    if (method == nullptr) continue;
    if (kept->known.size() < kMostKnownMethods) {
      Remember(key, method, kept->config);
    }
    return method;
  }
}

std::shared_ptr<const MethodState> ChannelState::Resolve(
    const Methods& methods, const Key& key, grpc::ChannelInterface& channel) {
  const auto type = static_cast<RpcType>(key.second);
  auto method = std::make_shared<MethodState>(key.first, type, channel);
  method->policy = methods.config->table->Find(key.first);
  method->treatment = TreatmentOf(method->policy.get());
  method->codec = CodecFor(core_->options(), method->name);
  // A CallScope may ask for retries without a policy.
  method->budget = target_->budget();
  if (method->policy == nullptr) {
    method->rules = RulesOf(MethodPolicy(), core_->options());
    return method;
  }
  const MethodPolicy& policy = *method->policy;
  method->rules = RulesOf(policy, core_->options());
  if (!SetBreaker(methods, *method)) return nullptr;
  if (policy.hedging) Hedge(*policy.hedging, type, *method);
  return method;
}

// A Reload may come meanwhile: under the lock, so that no breaker is made by
// a config after its breakers have been updated to the next.
bool ChannelState::SetBreaker(const Methods& methods, MethodState& method) {
  const MethodPolicy& policy = *method.policy;
  if (!policy.breaker || policy.breaker->mode == EnforcementMode::kDisabled) {
    return true;
  }
  MutexLock lock(mu_);
  if (latest_->config != methods.config) return false;
  method.breaker =
      target_->BreakerFor(policy, method.name, core_->clock().Now());
  method.slow_call_duration = policy.breaker->slow_call_duration;
  return true;
}

void ChannelState::Hedge(const HedgingOptions& hedging, RpcType type,
                         MethodState& method) const {
  if (hedging.mode == EnforcementMode::kDisabled) return;
  if (Hedgeable(type)) {
    method.hedging = HedgeRulesOf(hedging, core_->options().max_attempts_limit);
    method.hedge_state = target_->HedgeStateFor(method.name);
    return;
  }
  CallEvent event;
  event.type = CallEvent::Type::kNotHedgeable;
  event.reason = Reason::kNotHedgeable;
  event.target = target_->name();
  event.method = method.name;
  event.entry = method.policy->entry;
  core_->Tell(event);
}

void ChannelState::Remember(const Key& key,
                            const std::shared_ptr<const MethodState>& method,
                            const std::shared_ptr<const ParsedConfig>& config) {
  MutexLock lock(mu_);
  if (latest_->config != config)
    return;  // Resolved under a config that is gone.
  auto changed = std::make_shared<Methods>(*latest_);
  changed->known.emplace(Key(method->name, key.second), method);
  latest_ = changed;
  methods_.Store(std::move(changed));
}

std::shared_ptr<grpc::Channel> ChannelState::Own(
    grpc::ChannelInterface* channel) {
  if (seen_.load(std::memory_order_acquire) == channel) return owned_.lock();
  auto* real = dynamic_cast<grpc::Channel*>(channel);
  if (real == nullptr) return nullptr;
  MutexLock lock(mu_);
  if (seen_.load(std::memory_order_relaxed) == nullptr) {
    owned_ = real->shared_from_this();
    seen_.store(channel, std::memory_order_release);
  }
  return real->shared_from_this();
}

void ChannelState::Use(std::shared_ptr<const ParsedConfig> config) {
  MutexLock lock(mu_);
  latest_ = std::make_shared<Methods>(Methods{std::move(config), {}});
  methods_.Store(latest_);
}

}  // namespace retrykit
