// A circuit breaker with a clock and a generator of its own, for tests.
//
//   TestedBreaker breaker(options);
//   breaker.Fail(20);
//   breaker.Advance(absl::Seconds(5));
//   EXPECT_EQ(breaker.Log(), "closed>open");
//
// The generator draws from the middle: open intervals are what the options say,
// without jitter, unless a test scripts it.
// Thread-safety: none.
#ifndef RETRYKIT_TESTS_POLICY_TESTED_BREAKER_H_
#define RETRYKIT_TESTS_POLICY_TESTED_BREAKER_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"
#include "interceptors/policy/circuit_breaker.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace retrykit {

class TestedBreaker {
 public:
  using Result = CircuitBreaker::Result;
  using State = CircuitBreaker::State;

  explicit TestedBreaker(const CircuitBreakerOptions& options,
                         std::vector<double> fractions = {0.5});

  void Advance(absl::Duration by) { clock_.Advance(by); }
  Instant now() const { return clock_.Now(); }

  CircuitBreaker::Admission Acquire();
  bool WouldRefuse() const { return breaker_.WouldRefuse(now()); }
  void Record(const CircuitBreaker::Permit& permit, Result result,
              bool slow = false);

  // So many attempts, each begun and ended at once. A refused one is skipped.
  void Succeed(int times = 1) { Run(Result::kSuccess, false, times); }
  void SucceedSlowly(int times = 1) { Run(Result::kSuccess, true, times); }
  void Fail(int times = 1) { Run(Result::kFailure, false, times); }
  void EndNeutrally(int times = 1) { Run(Result::kNeutral, false, times); }

  void Reconfigure(const CircuitBreakerOptions& options) {
    breaker_.Reconfigure(options, now());
  }

  State state() const { return breaker_.state(); }
  size_t draws() const { return random_.draws(); }

  // The transitions since the last Log(): "closed>open open>half_open".
  std::string Log();

 private:
  void Run(Result result, bool slow, int times);
  void Note(const absl::optional<CircuitBreaker::Transition>& transition);

  FakeClock clock_;
  ScriptedRandom random_;
  CircuitBreaker breaker_;
  std::string log_;
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_POLICY_TESTED_BREAKER_H_
