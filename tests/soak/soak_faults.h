// What disturbs the network of the soak: every few hundred milliseconds all
// connections are reset, killed, stalled, delayed or refused, as a seed says.
//
// Thread-safety: one thread.
#ifndef TESTS_SOAK_SOAK_FAULTS_H_
#define TESTS_SOAK_SOAK_FAULTS_H_

#include <cstdint>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"
#include "tests/support/fault_proxy.h"
#include "tests/support/seeded_random.h"

namespace retrykit {

class SoakFaults {
 public:
  // Disturbs until it is destroyed; then the proxy works undisturbed.
  SoakFaults(FaultProxy& proxy, uint64_t seed);
  ~SoakFaults();
  SoakFaults(const SoakFaults&) = delete;
  SoakFaults& operator=(const SoakFaults&) = delete;

 private:
  void Run();
  void Disturb();
  // False: it is to end.
  bool Wait(absl::Duration duration);

  FaultProxy& proxy_;
  SeededRandom random_;
  Mutex mu_;
  CondVar ending_changed_;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace retrykit

#endif  // TESTS_SOAK_SOAK_FAULTS_H_
