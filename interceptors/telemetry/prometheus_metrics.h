// The metrics of one target, of one method on it, and of one circuit breaker,
// each looked up in its family once and then kept.
//
// Thread-safety: all members may be called from any thread.
// Lifetime: `families` must outlive them.
#ifndef RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_METRICS_H_
#define RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/events.h"
#include "interceptors/telemetry/prometheus_families.h"

namespace retrykit {

// One metric, added to its family when it is first needed.
template <typename Metric>
class LazyMetric {
 public:
  // `add` adds it; asked by several threads it must give the same one.
  template <typename Add>
  Metric& Get(const Add& add) {
    Metric* metric = metric_.load(std::memory_order_acquire);
    if (metric == nullptr) {
      metric = &add();
      metric_.store(metric, std::memory_order_release);
    }
    return *metric;
  }

 private:
  std::atomic<Metric*> metric_{nullptr};
};

class TargetMetrics {
 public:
  TargetMetrics(PrometheusFamilies& families, absl::string_view label)
      : families_(families), label_(label) {}

  const std::string& label() const { return label_; }
  // Notes what the event tells of the budget, if there is one.
  void NoteBudget(const CallEvent& event);

  // How many methods have their own label; for whoever adds them.
  int methods = 0;

 private:
  PrometheusFamilies& families_;
  const std::string label_;
  LazyMetric<prometheus::Gauge> tokens_;
  LazyMetric<prometheus::Gauge> max_tokens_;
};

class MethodMetrics {
 public:
  MethodMetrics(PrometheusFamilies& families, TargetMetrics& target,
                absl::string_view label);

  TargetMetrics& target() { return target_; }
  const std::string& label() const { return label_; }

  void AttemptEnded(const CallEvent& event);
  void RetryScheduled(const CallEvent& event);
  void RetrySuppressed(const CallEvent& event);
  void CallEnded(const CallEvent& event);

 private:
  static constexpr size_t kCodes = 17;
  static constexpr size_t kKinds = 3;
  static constexpr size_t kSources = 5;
  static constexpr size_t kReasons = 32;
  static constexpr size_t kOutcomes = 3;

  using LazyCounter = LazyMetric<prometheus::Counter>;

  prometheus::Labels Labels() const;
  prometheus::Labels Labels(const char* key, absl::string_view value) const;

  PrometheusFamilies& families_;
  TargetMetrics& target_;
  const std::string label_;
  std::array<LazyCounter, kCodes> calls_;
  std::array<LazyCounter, kCodes * kKinds> attempts_;
  std::array<LazyCounter, kReasons> suppressed_;
  std::array<LazyCounter, kOutcomes> hedges_;
  std::array<LazyMetric<prometheus::Histogram>, kSources> delays_;
  LazyCounter retry_successes_;
  LazyMetric<prometheus::Histogram> call_duration_;
  LazyMetric<prometheus::Histogram> attempt_duration_;
};

class BreakerMetrics {
 public:
  // Closed. `method` is empty unless the breaker is the method's own.
  BreakerMetrics(PrometheusFamilies& families, absl::string_view target,
                 absl::string_view entry, absl::string_view method);

  void Changed(CircuitBreaker::State from, CircuitBreaker::State to);
  void Rejected() { rejections_.Increment(); }

 private:
  static constexpr size_t kStates = 3;

  prometheus::Gauge& StateGauge(size_t state);

  PrometheusFamilies& families_;
  const prometheus::Labels labels_;
  prometheus::Counter& rejections_;
  const std::array<prometheus::Gauge*, kStates> states_;
  Mutex mu_;  // So that never two states are 1 for long.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_METRICS_H_
