#include "cli/simulator/measurements.h"

#include <algorithm>

namespace retrykit {
namespace cli {

Sample* Measurements::At(absl::Duration at) {
  absl::Duration rest;
  const int64_t index = absl::IDivDuration(at, width_, &rest);
  if (index < 0 || index >= kSamples) return nullptr;
  return &samples_[static_cast<std::size_t>(index)];
}

void Measurements::CallBegan(absl::Duration at) {
  ++offered_;
  if (Sample* const sample = At(at)) ++sample->offered;
}

void Measurements::AttemptArrived(absl::Duration at) {
  ++attempts_;
  if (Sample* const sample = At(at)) ++sample->attempts;
}

void Measurements::CallEnded(bool success, absl::Duration took,
                             absl::Duration at) {
  if (success) took_.push_back(static_cast<float>(absl::ToDoubleSeconds(took)));
  Sample* const sample = At(at);
  if (sample == nullptr) return;
  ++sample->ended;
  if (success) ++sample->succeeded;
}

void Measurements::Observe(int sample, double budget, double breaker) {
  Sample& observed = samples_[static_cast<std::size_t>(sample)];
  observed.budget = budget;
  observed.breaker = breaker;
}

absl::Duration Measurements::Percentile(double share) const {
  if (took_.empty()) return absl::ZeroDuration();
  std::vector<float> took = took_;
  const auto place =
      static_cast<std::ptrdiff_t>(share * static_cast<double>(took.size() - 1));
  std::nth_element(took.begin(), took.begin() + place, took.end());
  return absl::Seconds(
      static_cast<double>(took[static_cast<std::size_t>(place)]));
}

}  // namespace cli
}  // namespace retrykit
