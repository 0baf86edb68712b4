#include "tests/benchmark/streams_meter.h"

#include <algorithm>

#include "interceptors/core/clock.h"
#include "tests/benchmark/overhead_allocations.h"

namespace retrykit {

void StreamMeter::Begin() {
  latencies_.reserve(size_t{1} << 16);
  cpu_ = CpuSeconds();
  allocations_ = Allocations();
  begin_ = last_ = MonotonicClock().Now();
}

bool StreamMeter::Count() {
  if (++messages_ % batch_ != 0) return true;
  const Instant now = MonotonicClock().Now();
  latencies_.push_back(absl::ToDoubleSeconds(now - last_) /
                       static_cast<double>(batch_));
  last_ = now;
  if (now < begin_ + length_) return true;
  cpu_ = CpuSeconds() - cpu_;
  allocations_ = Allocations() - allocations_;
  over_ = true;
  return false;
}

Cost StreamMeter::cost() const {
  Cost cost;
  cost.failed = over_ ? 0 : 1;
  if (!over_) return cost;
  std::vector<double> latencies = latencies_;
  const auto middle =
      latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
  std::nth_element(latencies.begin(), middle, latencies.end());
  const auto messages = static_cast<double>(messages_);
  cost.p50 = *middle;
  cost.throughput = messages / absl::ToDoubleSeconds(last_ - begin_);
  cost.cpu = cpu_ / messages;
  cost.allocations = static_cast<double>(allocations_) / messages;
  return cost;
}

}  // namespace retrykit
