// Calls against a simulated server in virtual time, through the production
// engine, budget, breaker and backoff.
//
//   const Measurements measured = Simulate(scenario, policy, seed, progress);
//
// Deterministic: the same arguments give the same measurements. Calls arrive at
// the same times whatever the policy.
//
// Thread-safety: reentrant.
#ifndef RETRYKIT_CLI_SIMULATOR_SIMULATION_H_
#define RETRYKIT_CLI_SIMULATOR_SIMULATION_H_

#include <cstdint>
#include <functional>

#include "cli/simulator/measurements.h"
#include "cli/simulator/scenario.h"
#include "cli/simulator/simulated_client.h"

namespace retrykit {
namespace cli {

// Told now and then which share of the time has passed.
using Progress = std::function<void(double share)>;

Measurements Simulate(const Scenario& scenario, const SimulatedPolicy& policy,
                      uint64_t seed, const Progress& progress);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_SIMULATION_H_
