#include "interceptors/adapter/attempt_context.h"

#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "interceptors/adapter/client_context_access.h"
#include "interceptors/adapter/grpc_time.h"

namespace retrykit {
namespace {

// Asked, and never bound to a call.
class TrailersOnlyProbe final : public grpc::internal::ClientReactor {
 public:
  void OnDone(const grpc::Status&) override {}
};

void SetPreviousAttempts(grpc::ClientContext& context, int previous) {
  if (previous == 0) return;
  const std::string text = absl::StrCat(previous);
  ReplaceMetadata(context, kPreviousAttemptsKey, text);
  ReplaceMetadata(context, kGrpcPreviousAttemptsKey, text);
}

}  // namespace

thread_local const grpc::ClientContext* AttemptMark::current_ = nullptr;

void AttemptSource::Take(grpc::ClientContext& outer, bool only_interceptor) {
  outer_ = &outer;
  if (only_interceptor) return;
  untouched_ = std::make_unique<grpc::ClientContext>();
  CopySettings(outer, *untouched_);
}

grpc::ClientContext& AttemptSource::For(grpc::ClientContext* first) const {
  if (untouched_ != nullptr) return *untouched_;
  return first != nullptr ? *first : *outer_;
}

int PreviousAttempts(absl::string_view header) {
  constexpr int kMost = 1'000'000;
  int attempts = 0;
  if (!absl::SimpleAtoi(header, &attempts)) return 0;
  return std::clamp(attempts, 0, kMost);
}

void PrepareAttempt(grpc::ClientContext& from, const StartAttempt& action,
                    const MethodState& method, const Clock& clock,
                    grpc::ClientContext& context) {
  CopySettings(from, context);
  context.set_deadline(ToTimespec(action.deadline, clock));
  const MethodPolicy* policy = method.policy.get();
  if (policy != nullptr && policy->wait_for_ready &&
      !ExplicitWaitForReady(context)) {
    context.set_wait_for_ready(*policy->wait_for_ready);
  }
  SetPreviousAttempts(context, action.previous_attempts);
}

bool TrailersOnly(grpc::ClientContext& context) {
  static const auto* probe = new TrailersOnlyProbe();
  return probe->InternalTrailersOnly(context.c_call());
}

}  // namespace retrykit
