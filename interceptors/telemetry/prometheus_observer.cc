#include "interceptors/telemetry/prometheus_observer.h"

#include <atomic>
#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptors/core/mutex.h"
#include "interceptors/telemetry/label_table.h"
#include "interceptors/telemetry/prometheus_families.h"
#include "interceptors/telemetry/prometheus_metrics.h"

namespace retrykit {
namespace {

using Type = CallEvent::Type;

constexpr int kMostTargets = 100;
constexpr int kMostMethods = 2048;  // Of one target.
constexpr char kOther[] = "other";

class PrometheusObserver final : public Observer {
 public:
  explicit PrometheusObserver(std::shared_ptr<prometheus::Registry> registry)
      : families_(std::move(registry)),
        other_target_(families_, kOther),
        reloads_ok_(families_.reloads.Add({{"result", "ok"}})),
        reloads_refused_(families_.reloads.Add({{"result", "refused"}})) {}

  void OnEvent(const CallEvent& event) override {
    switch (event.type) {
      case Type::kAttemptEnded:
        return OnAttemptEnded(event);
      case Type::kRetryScheduled:
        return MethodOf(event).RetryScheduled(event);
      case Type::kRetrySuppressed:
        return MethodOf(event).RetrySuppressed(event);
      case Type::kBreakerRejected:
        return BreakerOf(event, MethodOf(event)).Rejected();
      case Type::kBreakerChanged:
        return BreakerOf(event, MethodOf(event)).Changed(event.from, event.to);
      case Type::kConfigReloaded:
        return OnConfigReloaded(event);
      case Type::kCallEnded:
        return OnCallEnded(event);
      default:
        return;
    }
  }

 private:
  void OnAttemptEnded(const CallEvent& event) {
    MethodMetrics& method = MethodOf(event);
    method.AttemptEnded(event);
    method.target().NoteBudget(event);
  }

  void OnConfigReloaded(const CallEvent& event) {
    const bool ok = event.code == absl::StatusCode::kOk;
    (ok ? reloads_ok_ : reloads_refused_).Increment();
  }

  // A breaker that never changes is seen too, from its first call on.
  void OnCallEnded(const CallEvent& event) {
    MethodMetrics& method = MethodOf(event);
    method.CallEnded(event);
    method.target().NoteBudget(event);
    if (event.breaker_scope != BreakerScope::kNone) BreakerOf(event, method);
  }

  MethodMetrics& MethodOf(const CallEvent& event) {
    const absl::string_view name = event.entry.empty() ? kOther : event.method;
    MethodMetrics* known = methods_.Find({event.target, name, ""});
    return known != nullptr ? *known : MethodIn(TargetOf(event.target), name);
  }

  // Those beyond the limits have no entry of their own: they come here again.
  MethodMetrics& MethodIn(TargetMetrics& target, absl::string_view name) {
    MethodMetrics* known = methods_.Find({target.label(), name, ""});
    if (known != nullptr) return *known;
    MutexLock lock(mu_);
    if (target.methods >= kMostMethods) name = kOther;
    return methods_.FindOrAdd({target.label(), name, ""}, [&] {
      ++target.methods;
      return std::make_unique<MethodMetrics>(families_, target, name);
    });
  }

  TargetMetrics& TargetOf(absl::string_view name) {
    TargetMetrics* known = targets_.Find({name, "", ""});
    if (known != nullptr) return *known;
    if (targets_full_.load(std::memory_order_relaxed)) return other_target_;
    MutexLock lock(mu_);
    known = targets_.Find({name, "", ""});
    if (known != nullptr) return *known;
    if (target_count_ == kMostTargets) return other_target_;
    if (++target_count_ == kMostTargets) targets_full_.store(true);
    return targets_.FindOrAdd({name, "", ""}, [&] {
      return std::make_unique<TargetMetrics>(families_, name);
    });
  }

  BreakerMetrics& BreakerOf(const CallEvent& event, MethodMetrics& method) {
    const absl::string_view target = method.target().label();
    const absl::string_view own = event.breaker_scope == BreakerScope::kMethod
                                      ? absl::string_view(method.label())
                                      : absl::string_view();
    BreakerMetrics* known = breakers_.Find({target, event.entry, own});
    if (known != nullptr) return *known;
    MutexLock lock(mu_);
    return breakers_.FindOrAdd({target, event.entry, own}, [&] {
      return std::make_unique<BreakerMetrics>(families_, target, event.entry,
                                              own);
    });
  }

  PrometheusFamilies families_;
  TargetMetrics other_target_;
  prometheus::Counter& reloads_ok_;
  prometheus::Counter& reloads_refused_;

  Mutex mu_;  // Held to add to a table.
  int target_count_ ABSL_GUARDED_BY(mu_) = 0;
  std::atomic<bool> targets_full_{false};
  LabelTable<TargetMetrics> targets_;
  LabelTable<MethodMetrics> methods_;
  LabelTable<BreakerMetrics> breakers_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Observer>> MakePrometheusObserver(
    std::shared_ptr<prometheus::Registry> registry) {
  if (registry == nullptr) {
    return absl::InvalidArgumentError("the Prometheus registry is null");
  }
  try {
    return std::make_shared<PrometheusObserver>(std::move(registry));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the Prometheus registry has a metric of retrykit's name: ",
        error.what()));
  }
}

}  // namespace retrykit
