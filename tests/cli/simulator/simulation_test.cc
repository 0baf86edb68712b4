// What can be said beforehand about a simulation comes out of it.

#include "cli/simulator/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace retrykit {
namespace cli {
namespace {

// One client, ten calls a second at constant intervals, 20 ms of work.
Scenario Plain() {
  Scenario scenario;
  scenario.duration = absl::Seconds(10);
  scenario.clients = 1;
  scenario.rate = 10;
  scenario.poisson = false;
  scenario.exponential_service = false;
  return scenario;
}

Phase Trouble(Phase::Kind kind, double share = 1) {
  Phase phase;
  phase.kind = kind;
  phase.from = absl::ZeroDuration();
  phase.to = absl::Seconds(100);
  phase.share = share;
  return phase;
}

SimulatedPolicy Retries(int attempts) {
  SimulatedPolicy policy;
  RetryOptions retry;
  retry.max_attempts = attempts;
  retry.retryable_status_codes = {absl::StatusCode::kUnavailable};
  policy.method.retry = retry;
  return policy;
}

Measurements Measure(const Scenario& scenario, const SimulatedPolicy& policy) {
  return Simulate(scenario, policy, 1, nullptr);
}

double AttemptsPerCall(const Measurements& measured) {
  return static_cast<double>(measured.attempts()) /
         static_cast<double>(measured.offered());
}

TEST(SimulationTest, AQuietServerAnswersEverything) {
  const Measurements measured = Measure(Plain(), SimulatedPolicy());
  EXPECT_EQ(measured.offered(), 99);
  EXPECT_EQ(measured.attempts(), 99);
  EXPECT_EQ(measured.succeeded(), 99);
  EXPECT_NEAR(absl::ToDoubleSeconds(measured.Percentile(0)), 0.022, 1e-6);
  EXPECT_NEAR(absl::ToDoubleSeconds(measured.Percentile(1)), 0.022, 1e-6);
}

TEST(SimulationTest, PoissonArrivalsHaveTheirRate) {
  Scenario scenario = Plain();
  scenario.poisson = true;
  scenario.rate = 1000;
  const Measurements measured = Measure(scenario, SimulatedPolicy());
  EXPECT_NEAR(static_cast<double>(measured.offered()), 10'000, 300);
}

TEST(SimulationTest, AClosedLoopWaitsForItsCalls) {
  Scenario scenario = Plain();
  scenario.open_loop = false;
  scenario.concurrency = 2;
  scenario.think_time = absl::Milliseconds(78);
  // Each of two users begins one every 78 + 22 ms, the first after 78 ms.
  EXPECT_EQ(Measure(scenario, SimulatedPolicy()).offered(), 200);
}

TEST(SimulationTest, AnOutageCostsAllAttempts) {
  Scenario scenario = Plain();
  scenario.phases = {Trouble(Phase::Kind::kOutage)};
  const Measurements measured = Measure(scenario, Retries(4));
  EXPECT_EQ(measured.succeeded(), 0);
  EXPECT_EQ(measured.attempts(), 4 * measured.offered());
}

TEST(SimulationTest, HalfAnOutageCostsAGeometricSeries) {
  Scenario scenario = Plain();
  scenario.rate = 1000;
  scenario.capacity = 1000;
  scenario.phases = {Trouble(Phase::Kind::kOutage, 0.5)};
  const Measurements measured = Measure(scenario, Retries(4));
  EXPECT_NEAR(AttemptsPerCall(measured), 1.875, 0.03);
  EXPECT_NEAR(static_cast<double>(measured.succeeded()),
              0.9375 * static_cast<double>(measured.offered()), 100);
}

TEST(SimulationTest, TheBudgetStopsRetries) {
  Scenario scenario = Plain();
  scenario.phases = {Trouble(Phase::Kind::kOutage)};
  SimulatedPolicy policy = Retries(4);
  policy.throttling = RetryBudgetOptions{10'000, 100};
  const Measurements measured = Measure(scenario, policy);
  EXPECT_EQ(measured.attempts(), measured.offered() + 4);
  EXPECT_EQ(measured.samples().back().budget, 0);
}

TEST(SimulationTest, TheBreakerKeepsCallsAway) {
  Scenario scenario = Plain();
  scenario.phases = {Trouble(Phase::Kind::kOutage)};
  SimulatedPolicy policy;
  policy.method.breaker = CircuitBreakerOptions();
  const Measurements measured = Measure(scenario, policy);
  // Twenty open it; later ones are probes.
  EXPECT_GE(measured.attempts(), 20);
  EXPECT_LT(measured.attempts(), 25);
  EXPECT_EQ(measured.samples().back().breaker, 1);
  EXPECT_EQ(measured.samples().front().breaker, 0);
}

TEST(SimulationTest, AHangingServerEndsCallsByTheirDeadline) {
  Scenario scenario = Plain();
  scenario.phases = {Trouble(Phase::Kind::kHang)};
  scenario.call_deadline = absl::Milliseconds(500);
  SimulatedPolicy policy = Retries(3);
  policy.method.per_attempt_timeout = absl::Milliseconds(100);
  policy.method.retry->backoff.jitter = Jitter::kNone;
  const Measurements measured = Measure(scenario, policy);
  EXPECT_EQ(measured.succeeded(), 0);
  EXPECT_EQ(measured.attempts(), 3 * measured.offered());
}

TEST(SimulationTest, WithoutAnyDeadlineCallsOfAHangingServerNeverEnd) {
  Scenario scenario = Plain();
  scenario.phases = {Trouble(Phase::Kind::kHang)};
  const Measurements measured = Measure(scenario, SimulatedPolicy());
  EXPECT_EQ(measured.offered(), 99);
  EXPECT_EQ(measured.succeeded(), 0);
}

TEST(SimulationTest, AFullQueueRefuses) {
  Scenario scenario = Plain();
  scenario.rate = 100;
  scenario.capacity = 1;  // Fifty a second.
  scenario.queue = 0;
  const Measurements measured = Measure(scenario, SimulatedPolicy());
  EXPECT_NEAR(static_cast<double>(measured.succeeded()), 500, 2);
}

TEST(SimulationTest, AQueueMakesCallsWait) {
  Scenario scenario = Plain();
  scenario.rate = 100;
  scenario.capacity = 1;
  scenario.queue = 10;
  const Measurements measured = Measure(scenario, SimulatedPolicy());
  EXPECT_NEAR(static_cast<double>(measured.succeeded()), 511, 3);
  EXPECT_NEAR(absl::ToDoubleSeconds(measured.Percentile(0.9)), 0.222, 0.011);
}

// Under twice the load that it can bear, a server that takes the oldest first
// takes each when its caller's deadline is near, and ends it too late.
TEST(SimulationTest, AnOverloadedServerWorksInVain) {
  Scenario scenario = Plain();
  scenario.rate = 100;
  scenario.capacity = 1;
  scenario.queue = 1000;
  scenario.call_deadline = absl::Milliseconds(100);
  const Measurements measured = Measure(scenario, SimulatedPolicy());
  EXPECT_GT(measured.succeeded(), 5);
  EXPECT_LT(measured.succeeded(), 20);
  EXPECT_LE(measured.Percentile(1), absl::Milliseconds(101));
}

TEST(SimulationTest, ASlowServerTakesLonger) {
  Scenario scenario = Plain();
  Phase slow = Trouble(Phase::Kind::kSlow);
  slow.factor = 3;
  scenario.phases = {slow};
  const Measurements measured = Measure(scenario, SimulatedPolicy());
  EXPECT_NEAR(absl::ToDoubleSeconds(measured.Percentile(0.5)), 0.062, 1e-6);
}

TEST(SimulationTest, HedgesCutTheTail) {
  Scenario scenario = Plain();
  scenario.rate = 100;
  scenario.capacity = 100;
  Phase slow = Trouble(Phase::Kind::kSlow, 0.1);
  slow.factor = 50;
  scenario.phases = {slow};
  SimulatedPolicy hedged;
  HedgingOptions hedging;
  hedging.hedging_delay = absl::Milliseconds(50);
  hedged.method.hedging = hedging;
  const Measurements plain = Measure(scenario, SimulatedPolicy());
  const Measurements cut = Measure(scenario, hedged);
  EXPECT_NEAR(absl::ToDoubleSeconds(plain.Percentile(0.95)), 1.002, 1e-3);
  EXPECT_NEAR(absl::ToDoubleSeconds(cut.Percentile(0.95)), 0.072, 1e-3);
  EXPECT_NEAR(AttemptsPerCall(cut), 1.1, 0.03);
}

TEST(SimulationTest, TheSameSeedGivesTheSame) {
  Scenario scenario;
  scenario.duration = absl::Seconds(5);
  scenario.phases = {Trouble(Phase::Kind::kOutage, 0.3)};
  const Measurements a = Simulate(scenario, Retries(3), 7, nullptr);
  const Measurements b = Simulate(scenario, Retries(3), 7, nullptr);
  const Measurements other = Simulate(scenario, Retries(3), 8, nullptr);
  EXPECT_EQ(a.attempts(), b.attempts());
  EXPECT_EQ(a.Percentile(0.99), b.Percentile(0.99));
  EXPECT_NE(a.attempts(), other.attempts());
}

TEST(SimulationTest, CallsArriveAtTheSameTimesWhateverThePolicy) {
  Scenario scenario;
  scenario.duration = absl::Seconds(5);
  scenario.phases = {Trouble(Phase::Kind::kOutage, 0.3)};
  const Measurements a = Simulate(scenario, Retries(3), 7, nullptr);
  const Measurements b = Simulate(scenario, SimulatedPolicy(), 7, nullptr);
  ASSERT_EQ(a.offered(), b.offered());
  for (size_t i = 0; i < a.samples().size(); ++i)
    EXPECT_EQ(a.samples()[i].offered, b.samples()[i].offered);
}

TEST(SimulationTest, ProgressGoesFromNothingToAll) {
  double last = 0;
  Simulate(Plain(), SimulatedPolicy(), 1, [&](double share) {
    EXPECT_GT(share, last);
    last = share;
  });
  EXPECT_EQ(last, 1);
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
