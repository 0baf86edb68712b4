// Counts what a soak's toolkits tell. Thread-safety: any thread.
#ifndef TESTS_SOAK_SOAK_OBSERVER_H_
#define TESTS_SOAK_SOAK_OBSERVER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/events.h"

namespace retrykit {

class SoakObserver final : public Observer {
 public:
  struct Counts {
    int64_t started = 0;
    int64_t ended = 0;
    int64_t ended_unknown = 0;  // Ended twice, or without a start.
    int64_t breaker_changes = 0;
    std::map<std::string, int64_t> ends_by_reason;
  };

  void OnEvent(const CallEvent& event) override {
    MutexLock lock(mu_);
    switch (event.type) {
      case CallEvent::Type::kCallStarted:
        ++counts_.started;
        live_.insert(event.call);
        break;
      case CallEvent::Type::kCallEnded:
        ++counts_.ended;
        if (live_.erase(event.call) == 0) ++counts_.ended_unknown;
        ++counts_.ends_by_reason[std::string(ReasonText(event.reason))];
        break;
      case CallEvent::Type::kBreakerChanged:
        ++counts_.breaker_changes;
        break;
      default:
        break;
    }
  }

  Counts counts() {
    MutexLock lock(mu_);
    return counts_;
  }
  size_t live() {
    MutexLock lock(mu_);
    return live_.size();
  }

 private:
  Mutex mu_;
  Counts counts_ ABSL_GUARDED_BY(mu_);
  std::set<uint64_t> live_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // TESTS_SOAK_SOAK_OBSERVER_H_
