// A call whose first attempt succeeds must stay cheap: its allocations are
// counted here, by replacing operator new in this program.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/step.h"
#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/verdict.h"
#include "tests/support/shared_random.h"

namespace {

thread_local int allocations = 0;

void* Allocate(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace retrykit {
namespace {

using ::testing::Le;

// What a call of a method with retries, a budget and a breaker runs under.
class AllocationsTest : public ::testing::Test {
 protected:
  AllocationsTest() {
    rules_.max_attempts = 4;
    rules_.retryable = {absl::StatusCode::kUnavailable};
    setup_.rules = &rules_;
    setup_.budget = &budget_;
    setup_.breaker = &breaker_;
    setup_.random = &random_;
    setup_.deadline = now_ + absl::Seconds(10);
  }

  // Allocations of one call from its start to its end, with `failures` attempts
  // before the one that succeeds.
  int AllocationsOfACall(int failures) {
    const int before = allocations;
    CallEngine engine(setup_);
    engine.Step(CallStarted{}, now_);
    for (int attempt = 1; attempt <= failures; ++attempt) {
      End(engine, attempt, absl::StatusCode::kUnavailable);
      engine.Step(TimerFired{attempt}, Later(absl::Seconds(1)));
    }
    End(engine, failures + 1, absl::StatusCode::kOk);
    const int after = allocations;
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(engine.attempts_started(), failures + 1);
    return after - before;
  }

 private:
  Instant Later(absl::Duration by) { return now_ = now_ + by; }

  void End(CallEngine& engine, int attempt, absl::StatusCode code) {
    AttemptEnded ended;
    ended.attempt = attempt;
    ended.outcome.code = code;
    engine.Step(ended, Later(absl::Milliseconds(1)));
  }

  Instant now_ = Instant::FromNanos(1'000'000'000);
  RetryRules rules_;
  RetryBudget budget_{{/*max_milli_tokens=*/10'000, /*milli_token_ratio=*/100}};
  CircuitBreaker breaker_{CircuitBreakerOptions(), now_};
  SharedRandom<> random_;
  CallSetup setup_;
};

TEST_F(AllocationsTest, AreCounted) {
  const int before = allocations;
  ::operator delete(::operator new(1));
  EXPECT_GT(allocations, before);
}

TEST_F(AllocationsTest, ACallWhoseFirstAttemptSucceedsMakesAtMostTwo) {
  AllocationsOfACall(0);  // What is made once is made.
  EXPECT_THAT(AllocationsOfACall(0), Le(2));
}

TEST_F(AllocationsTest, ARetriedCallMakesAtMostOneMoreForEachRetry) {
  AllocationsOfACall(2);
  EXPECT_THAT(AllocationsOfACall(1), Le(3));
  EXPECT_THAT(AllocationsOfACall(2), Le(4));
}

}  // namespace
}  // namespace retrykit
