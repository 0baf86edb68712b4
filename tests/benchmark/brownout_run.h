// One brown-out: 50 clients of one channel send at a fixed rate, whatever
// comes back (open loop), before, in and after an outage of the server.
#ifndef TESTS_BENCHMARK_BROWNOUT_RUN_H_
#define TESTS_BENCHMARK_BROWNOUT_RUN_H_

#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace retrykit {

// Of the breaker; the longest too.
inline constexpr absl::Duration kBrownoutOpenDuration = absl::Milliseconds(500);

struct BrownoutPlan {
  int clients = 50;
  int rate = 10;  // Calls per client and second.
  absl::Duration before = absl::Seconds(2);
  absl::Duration outage = absl::Seconds(3);
  absl::Duration after = absl::Seconds(3);
};

struct BrownoutFigures {
  std::string name;
  int64_t offered = 0;            // Calls, in all.
  int64_t offered_in_outage = 0;  // Calls.
  int64_t load_in_outage = 0;     // Attempts that the server saw.
  double success = 0;             // Share of all calls.
  double goodput =
      0;  // Successes per second from the outage's begin to the end.
  absl::Duration recovery = absl::ZeroDuration();  // From the outage's end to
                                                   // when the last call that
                                                   // fails was sent.
  // Per 100 ms since the start.
  std::vector<int> sent;
  std::vector<int> succeeded;  // Of those sent then.
  std::vector<int> load;

  double amplification() const {
    return static_cast<double>(load_in_outage) /
           static_cast<double>(offered_in_outage);
  }
};

// `address`: where the server takes orders.
BrownoutFigures RunBrownout(const std::string& name,
                            const std::shared_ptr<grpc::Channel>& channel,
                            const std::string& address,
                            const BrownoutPlan& plan);

struct BrownoutVariant {
  std::string name;
  std::shared_ptr<grpc::Channel> channel;
};

// "plain", "core_retries" with the same policy and throttling, and "retrykit"
// with the breaker and decorrelated jitter too. Each with its own connection.
std::vector<BrownoutVariant> BrownoutVariants(const std::string& address);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_BROWNOUT_RUN_H_
