// Counts what retrykit does, and says when a circuit breaker changes.
#ifndef EXAMPLES_QUICKSTART_TALLY_H_
#define EXAMPLES_QUICKSTART_TALLY_H_

#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "interceptors/retrykit.h"

namespace quickstart {

// Thread-safety: any thread.
class Tally final : public retrykit::Observer {
 public:
  explicit Tally(std::function<void(const std::string&)> say)
      : say_(std::move(say)) {}

  void OnEvent(const retrykit::CallEvent& event) override;

  std::atomic<int> attempts{0};
  std::atomic<int> retries{0};
  std::atomic<int> suppressed{0};  // Failures that were not retried though
                                   // they might have been.
  std::atomic<int> breaker_opened{0};

 private:
  const std::function<void(const std::string&)> say_;
};

}  // namespace quickstart

#endif  // EXAMPLES_QUICKSTART_TALLY_H_
