// Counts a stream's messages while a block lasts.
//
//   StreamMeter meter(absl::Milliseconds(200), /*batch=*/32);
//   ... the first message ...
//   meter.Begin();
//   while (reader->Read(&message) && meter.Count()) {
//   }
//   Cost cost = meter.cost();
//
// Thread-safety: one thread at a time.
#ifndef TESTS_BENCHMARK_STREAMS_METER_H_
#define TESTS_BENCHMARK_STREAMS_METER_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/core/instant.h"
#include "tests/benchmark/overhead_block.h"

namespace retrykit {

class StreamMeter {
 public:
  // The clock is read once per `batch` messages, and a batch's share of time is
  // the latency of each.
  StreamMeter(absl::Duration length, int64_t batch)
      : length_(length), batch_(batch) {}

  void Begin();
  // One more message. False: the block is over.
  bool Count();

  // Per message; `failed` 1 if the block did not come to its end.
  Cost cost() const;

 private:
  const absl::Duration length_;
  const int64_t batch_;
  Instant begin_;
  Instant last_;
  double cpu_ = 0;
  uint64_t allocations_ = 0;
  int64_t messages_ = 0;
  bool over_ = false;
  std::vector<double> latencies_;
};

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_STREAMS_METER_H_
