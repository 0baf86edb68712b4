// What the tests of the circuit breaker share: a clock that can be moved past
// an open interval, and calls of which one knows how they end.
#ifndef TESTS_END_TO_END_CIRCUIT_BREAKER_FIXTURE_H_
#define TESTS_END_TO_END_CIRCUIT_BREAKER_FIXTURE_H_

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "tests/support/end_to_end_test.h"
#include "tests/support/shifted_clock.h"

namespace retrykit {

// The ids of calls.
inline constexpr char kOk[] = "ok";        // Succeeds.
inline constexpr char kFails[] = "fails";  // Fails and is not retried.
inline constexpr char kHeld[] = "held";    // Succeeds after gate "go".

class CircuitBreakerTest : public UnaryEndToEndTest {
 protected:
  // `breaker`: the JSON of `circuitBreaker`.
  void UseBreaker(const std::string& breaker, bool retries = true) {
    TestPolicy policy;
    policy.retries = retries;
    policy.circuit_breaker = breaker;
    UseWithClock(policy);
  }

  void UseWithClock(const TestPolicy& policy, Options options = Options()) {
    options.clock = &clock_;
    Use(policy, std::move(options));
    server().Script(
        kFails, {AttemptScript::Fail(grpc::StatusCode::INTERNAL, "broken")});
    server().Script(kHeld, {AttemptScript::Ok().AfterGate("go")});
  }

  // The clock must outlive the toolkit.
  void TearDown() override {
    UnaryEndToEndTest::TearDown();
    DropToolkit();
  }

  void CallTimes(int times, const std::string& id) {
    for (int i = 0; i < times; ++i) Call(id);
  }

  static bool IsRefused(const EchoResult& result) {
    return result.status.error_code() == grpc::StatusCode::UNAVAILABLE &&
           absl::StrContains(result.status.error_message(), "circuit breaker");
  }
  bool IsRefused(const std::string& id) { return IsRefused(Call(id)); }

  // How often the breaker has changed into `state`.
  int Changes(CircuitBreaker::State state) {
    int changes = 0;
    for (const auto& event :
         observer().Events(CallEvent::Type::kBreakerChanged)) {
      if (event.to == state) ++changes;
    }
    return changes;
  }
  int Opened() { return Changes(CircuitBreaker::State::kOpen); }
  int Closed() { return Changes(CircuitBreaker::State::kClosed); }

  int Rejections() {
    return observer().Count(CallEvent::Type::kBreakerRejected);
  }

  ShiftedClock clock_;
};

}  // namespace retrykit

#endif  // TESTS_END_TO_END_CIRCUIT_BREAKER_FIXTURE_H_
