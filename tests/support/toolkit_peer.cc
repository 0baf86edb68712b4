#include "tests/support/toolkit_peer.h"

#include <memory>

#include "interceptors/adapter/runtime.h"
#include "interceptors/adapter/target_state.h"
#include "interceptors/adapter/toolkit_core.h"
#include "interceptors/engine/buffer_quota.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {

size_t ToolkitPeer::LiveTimers(Toolkit& toolkit) {
  return toolkit.core_->runtime().timers().live();
}

int64_t ToolkitPeer::KeptBytes(Toolkit& toolkit) {
  return toolkit.core_->quota().used();
}

int64_t ToolkitPeer::MilliTokens(const Toolkit& toolkit,
                                 const std::string& target) {
  const std::shared_ptr<TargetState> state = toolkit.core_->FindTarget(target);
  const std::shared_ptr<RetryBudget> budget =
      state == nullptr ? nullptr : state->budget();
  return budget == nullptr ? -1 : budget->milli_tokens();
}

}  // namespace retrykit
