// What is measured in a simulation.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_SIMULATOR_MEASUREMENTS_H_
#define RETRYKIT_CLI_SIMULATOR_MEASUREMENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace retrykit {
namespace cli {

// Of one stretch of time.
struct Sample {
  int64_t offered = 0;    // Calls that began.
  int64_t attempts = 0;   // That reached the server.
  int64_t ended = 0;      // Calls.
  int64_t succeeded = 0;  // Calls.
  double budget = 1;      // Tokens over maxTokens, the clients' mean.
  double breaker = 0;     // The share of clients whose breaker is not closed.
};

class Measurements {
 public:
  static constexpr int kSamples = 200;

  explicit Measurements(absl::Duration duration)
      : width_(duration / kSamples), samples_(kSamples) {}

  // `at`: since the start.
  void CallBegan(absl::Duration at);
  void AttemptArrived(absl::Duration at);
  void CallEnded(bool success, absl::Duration took, absl::Duration at);
  // At the end of a sample.
  void Observe(int sample, double budget, double breaker);

  absl::Duration width() const { return width_; }
  const std::vector<Sample>& samples() const { return samples_; }
  int64_t offered() const { return offered_; }
  int64_t attempts() const { return attempts_; }
  int64_t succeeded() const { return static_cast<int64_t>(took_.size()); }

  // Of the durations of successful calls; zero where there is none.
  absl::Duration Percentile(double share) const;

 private:
  // Null behind the end: what is then still under way counts in the sums only.
  Sample* At(absl::Duration at);

  absl::Duration width_;
  std::vector<Sample> samples_;
  int64_t offered_ = 0;
  int64_t attempts_ = 0;
  std::vector<float> took_;  // Seconds.
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_MEASUREMENTS_H_
