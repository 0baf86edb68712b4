// What is simulated: clients, a server, and what befalls it.
//
// Thread-safety: plain values and pure functions.
#ifndef RETRYKIT_CLI_SIMULATOR_SCENARIO_H_
#define RETRYKIT_CLI_SIMULATOR_SCENARIO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/config/config_errors.h"

namespace retrykit {
namespace cli {

// A time during which the server is not well.
struct Phase {
  enum class Kind : unsigned char {
    kOutage,  // Answers `code` at once, without working on it.
    kHang,    // Does not answer at all.
    kSlow,    // Takes `factor` times as long.
  };

  Kind kind = Kind::kOutage;
  absl::Duration from;
  absl::Duration to;  // > from.
  double share = 1;   // Of the attempts that it concerns; (0, 1].
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  double factor = 10;
};

struct Scenario {
  absl::Duration duration = absl::Seconds(60);
  std::string method = "/simulated.Service/Method";  // Whose policy is used.
  // Of each call, beside the policy's timeout. Infinite: none.
  absl::Duration call_deadline = absl::InfiniteDuration();

  // Processes: each has a budget and a breaker of its own.
  int64_t clients = 20;
  bool open_loop = true;
  bool poisson = true;      // Else at constant intervals.
  double rate = 400;        // Calls per second of all clients. (Open loop.)
  int64_t concurrency = 4;  // Calls at once of each client. (Closed loop.)
  // Between a call's end and the next one's start. (Closed loop.)
  absl::Duration think_time = absl::Milliseconds(100);

  int64_t capacity = 10;  // Attempts that are worked on at once.
  int64_t queue = 200;    // Attempts that wait for their turn.
  absl::Duration service_time = absl::Milliseconds(20);  // Mean.
  bool exponential_service = true;                       // Else constant.
  absl::Duration network_delay = absl::Milliseconds(1);  // Each way.
  // What an attempt gets that finds the queue full.
  absl::StatusCode overload_code = absl::StatusCode::kUnavailable;

  std::vector<Phase> phases;  // By `from`.
};

// The scenario that is used where none is given, as a file.
absl::string_view DefaultScenarioText();

// Fills `scenario`, records what is wrong or cannot be simulated. The text must
// be JSON.
Scenario ReadScenario(absl::string_view text, ConfigErrors& errors);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_SCENARIO_H_
