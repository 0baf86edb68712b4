// A server with so many workers and a queue, and what befalls it.
//
// Thread-safety: none. Lifetime: the scenario must outlive it.
#ifndef RETRYKIT_CLI_SIMULATOR_SIMULATED_SERVER_H_
#define RETRYKIT_CLI_SIMULATOR_SIMULATED_SERVER_H_

#include <cstdint>
#include <deque>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "cli/seeded_random.h"
#include "cli/simulator/scenario.h"

namespace retrykit {
namespace cli {

// Which attempt of which call.
struct AttemptId {
  uint32_t call = 0;
  uint32_t generation = 0;
  int attempt = 0;
};

class SimulatedServer {
 public:
  SimulatedServer(const Scenario& scenario, uint64_t seed)
      : scenario_(scenario), random_(seed) {}

  enum class Fate : unsigned char {
    kRefused,  // Answers `code` at once.
    kLost,     // Never answers.
    kWorked,   // A worker has it, for `work`.
    kQueued,   // Waits for a worker.
  };
  struct Reception {
    Fate fate = Fate::kLost;
    absl::StatusCode code = absl::StatusCode::kOk;
    absl::Duration work;
  };

  // `at`: since the start.
  Reception Receive(const AttemptId& id, absl::Duration at);

  // A worker is done: takes the next attempt from the queue, for it to work on
  // for Work(), or nullopt: none waits, WorkerIdles() is to be called.
  absl::optional<AttemptId> TakeNext();
  void WorkerIdles() { --busy_; }
  absl::Duration Work(absl::Duration at);

 private:
  // The phase of one of the two kinds that concerns an attempt now, or null.
  const Phase* Befalling(bool slow, absl::Duration at);

  const Scenario& scenario_;
  SeededRandom random_;
  int64_t busy_ = 0;
  std::deque<AttemptId> queue_;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_SIMULATED_SERVER_H_
