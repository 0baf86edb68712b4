#include "cli/simulator/simulation.h"

#include <cstddef>
#include <deque>
#include <variant>
#include <vector>

#include "absl/types/optional.h"
#include "cli/seeded_random.h"
#include "cli/simulator/event_queue.h"
#include "cli/simulator/simulated_server.h"
#include "interceptors/core/instant.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/step.h"

namespace retrykit {
namespace cli {
namespace {

using Kind = SimulatedEvent::Kind;

// A place for one call after another.
struct Call {
  absl::optional<CallEngine> engine;
  absl::optional<HedgeRules> own_hedging;
  Instant began;
  uint32_t client = 0;
  uint32_t generation = 0;
  uint32_t live = 0;  // A bit for each attempt whose answer is awaited.
};

class Simulation {
 public:
  Simulation(const Scenario& scenario, const SimulatedPolicy& policy,
             uint64_t seed)
      : scenario_(scenario),
        arrivals_(seed),
        chance_(seed + 1),
        server_(scenario, seed + 2),
        measured_(scenario.duration) {
    for (int64_t i = 0; i < scenario.clients; ++i)
      clients_.emplace_back(policy, start_);
  }

  Measurements Run(const Progress& progress) {
    ScheduleFirst();
    while (!events_.empty()) {
      const SimulatedEvent event = events_.Take();
      now_ = event.at;
      if (event.kind == Kind::kSample && progress != nullptr)
        progress(static_cast<double>(event.number + 1) /
                 Measurements::kSamples);
      Handle(event);
    }
    return std::move(measured_);
  }

 private:
  void ScheduleFirst();
  void Handle(const SimulatedEvent& event);

  void BeginCall(uint32_t client);
  void ScheduleNext(uint32_t client);

  // Tells the engine and does what it asks for.
  void Step(uint32_t place, const StepEvent& event);
  void Do(uint32_t place, const StartAttempt& action);
  void Do(uint32_t place, const CancelAttempt& action);
  void Do(uint32_t place, const ArmTimer& action);
  void Do(uint32_t, const DisarmTimer&) {}  // A late timer has no effect.
  void Do(uint32_t, const CommitAttempt&) {}
  void Do(uint32_t place, const FinishCall& action);

  void Arrive(const SimulatedEvent& event);
  void Served(const SimulatedEvent& event);
  void EndAttempt(const SimulatedEvent& event, absl::StatusCode code);
  void TakeSample(int sample);

  bool Wanted(uint32_t place, uint32_t generation, int attempt) const;
  void Add(Kind kind, Instant at, const AttemptId& id,
           absl::StatusCode code = absl::StatusCode::kOk);
  absl::Duration Elapsed() const { return now_ - start_; }

  const Scenario& scenario_;
  const Instant start_ = Instant::FromNanos(1'000'000'000'000);
  Instant now_ = start_;
  SeededRandom arrivals_;
  SeededRandom chance_;
  SimulatedServer server_;
  std::deque<SimulatedClient> clients_;
  std::deque<Call> calls_;
  std::vector<uint32_t> free_;
  EventQueue events_;
  Measurements measured_;
};

void Simulation::ScheduleFirst() {
  for (int i = 0; i < Measurements::kSamples; ++i) {
    AttemptId sample;
    sample.attempt = i;
    Add(Kind::kSample, start_ + measured_.width() * (i + 1), sample);
  }
  if (scenario_.open_loop) return ScheduleNext(0);
  for (uint32_t i = 0; i < clients_.size(); ++i) {
    for (int64_t j = 0; j < scenario_.concurrency; ++j) ScheduleNext(i);
  }
}

// The next call of an open loop is any client's, whatever has become of the
// last one.
void Simulation::ScheduleNext(uint32_t client) {
  absl::Duration pause = scenario_.open_loop ? absl::Seconds(1 / scenario_.rate)
                                             : scenario_.think_time;
  if (scenario_.poisson) pause *= arrivals_.Exponential();
  AttemptId due;
  due.call = scenario_.open_loop
                 ? static_cast<uint32_t>(arrivals_() % clients_.size())
                 : client;
  if (Elapsed() + pause < scenario_.duration)
    Add(Kind::kCallDue, now_ + pause, due);
}

void Simulation::Handle(const SimulatedEvent& event) {
  switch (event.kind) {
    case Kind::kCallDue:
      if (scenario_.open_loop) ScheduleNext(0);
      return BeginCall(event.call);
    case Kind::kAttemptArrives:
      return Arrive(event);
    case Kind::kAttemptServed:
      return Served(event);
    case Kind::kAnswerArrives:
      return EndAttempt(event, static_cast<absl::StatusCode>(event.code));
    case Kind::kAttemptDeadline:
      return EndAttempt(event, absl::StatusCode::kDeadlineExceeded);
    case Kind::kTimer:
      if (calls_[event.call].generation == event.generation)
        Step(event.call, TimerFired{event.number});
      return;
    case Kind::kSample:
      return TakeSample(event.number);
  }
}

void Simulation::BeginCall(uint32_t client) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(calls_.size()));
    calls_.emplace_back();
  }
  const uint32_t place = free_.back();
  free_.pop_back();
  Call& call = calls_[place];
  call.began = now_;
  call.client = client;
  call.live = 0;
  call.own_hedging.reset();
  call.engine.emplace(clients_[client].SetupFor(
      now_, now_ + scenario_.call_deadline, chance_, call.own_hedging));
  measured_.CallBegan(Elapsed());
  Step(place, CallStarted{});
}

void Simulation::Step(uint32_t place, const StepEvent& event) {
  const Actions actions = calls_[place].engine->Step(event, now_);
  for (const Action& action : actions.list)
    std::visit([&](const auto& asked) { Do(place, asked); }, action);
}

void Simulation::Do(uint32_t place, const StartAttempt& action) {
  Call& call = calls_[place];
  call.live |= 1u << action.attempt;
  const AttemptId id{place, call.generation, action.attempt};
  Add(Kind::kAttemptArrives, now_ + scenario_.network_delay, id);
  if (!action.deadline.is_infinite())
    Add(Kind::kAttemptDeadline, action.deadline, id);
}

void Simulation::Do(uint32_t place, const CancelAttempt& action) {
  calls_[place].live &= ~(1u << action.attempt);
}

void Simulation::Do(uint32_t place, const ArmTimer& action) {
  Add(Kind::kTimer, action.at, {place, calls_[place].generation, action.timer});
}

// The engine is left alone until the place is used again: it may be the one
// whose actions are being done.
void Simulation::Do(uint32_t place, const FinishCall& action) {
  Call& call = calls_[place];
  measured_.CallEnded(action.code == absl::StatusCode::kOk, now_ - call.began,
                      Elapsed());
  ++call.generation;
  call.live = 0;
  free_.push_back(place);
  if (!scenario_.open_loop) ScheduleNext(call.client);
}

bool Simulation::Wanted(uint32_t place, uint32_t generation,
                        int attempt) const {
  const Call& call = calls_[place];
  return call.generation == generation && (call.live >> attempt & 1u) != 0;
}

void Simulation::Arrive(const SimulatedEvent& event) {
  const AttemptId id{event.call, event.generation, event.number};
  measured_.AttemptArrived(Elapsed());
  const auto reception = server_.Receive(id, Elapsed());
  switch (reception.fate) {
    case SimulatedServer::Fate::kRefused:
      return Add(Kind::kAnswerArrives, now_ + scenario_.network_delay, id,
                 reception.code);
    case SimulatedServer::Fate::kWorked:
      return Add(Kind::kAttemptServed, now_ + reception.work, id);
    case SimulatedServer::Fate::kLost:
    case SimulatedServer::Fate::kQueued:
      return;
  }
}

// What is under way is worked on to its end, wanted or not; what waits and is
// not wanted any more is dropped.
void Simulation::Served(const SimulatedEvent& event) {
  Add(Kind::kAnswerArrives, now_ + scenario_.network_delay,
      {event.call, event.generation, event.number});
  while (const auto next = server_.TakeNext()) {
    if (!Wanted(next->call, next->generation, next->attempt)) continue;
    return Add(Kind::kAttemptServed, now_ + server_.Work(Elapsed()), *next);
  }
  server_.WorkerIdles();
}

void Simulation::EndAttempt(const SimulatedEvent& event,
                            absl::StatusCode code) {
  if (!Wanted(event.call, event.generation, event.number)) return;
  calls_[event.call].live &= ~(1u << event.number);
  AttemptEnded ended{event.number, {}};
  ended.outcome.code = code;
  Step(event.call, ended);
}

void Simulation::TakeSample(int sample) {
  double budget = 0;
  double open = 0;
  for (const SimulatedClient& client : clients_) {
    budget += client.budget_share();
    if (!client.breaker_closed()) ++open;
  }
  const auto count = static_cast<double>(clients_.size());
  measured_.Observe(sample, budget / count, open / count);
}

void Simulation::Add(Kind kind, Instant at, const AttemptId& id,
                     absl::StatusCode code) {
  SimulatedEvent event;
  event.at = at;
  event.call = id.call;
  event.generation = id.generation;
  event.number = id.attempt;
  event.kind = kind;
  event.code = static_cast<unsigned char>(code);
  events_.Add(event);
}

}  // namespace

Measurements Simulate(const Scenario& scenario, const SimulatedPolicy& policy,
                      uint64_t seed, const Progress& progress) {
  return Simulation(scenario, policy, seed).Run(progress);
}

}  // namespace cli
}  // namespace retrykit
