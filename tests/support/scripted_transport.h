// A call's way to a wire that plays a list: no gRPC, but threads that call back
// as gRPC's do.
//
//   WorkerThreads wire(3);
//   ScriptedTransport transport({{Failed()}, {Succeeded()}}, &wire);
//   BlockingDriver driver(setup, clock, transport);
//   driver.Run(CallStarted{});
//   EXPECT_EQ(transport.Broken(), "");
//
// It remembers all that the driver did, and what of that broke a promise of
// ports.h or step.h: two actions at once, an attempt cancelled that was not
// started, anything after FinishCall but the ends of attempts.
//
// Thread-safety: any thread.
// Lifetime: longer than its driver. Under an AsyncDriver the owner given to
// PostTo is kept alive by whatever is under way; else the wire must be drained
// first.
#ifndef RETRYKIT_TESTS_SUPPORT_SCRIPTED_TRANSPORT_H_
#define RETRYKIT_TESTS_SUPPORT_SCRIPTED_TRANSPORT_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/types/optional.h"
#include "interceptors/adapter/blocking_driver.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "interceptors/engine/events.h"
#include "interceptors/engine/step.h"
#include "tests/support/worker_threads.h"

namespace retrykit {

// What becomes of one attempt. A cancel always ends it with CANCELLED, if it
// comes first.
struct ScriptedAttempt {
  enum class Ends : unsigned char {
    kOnTheWire,  // On a thread of the wire, as soon as one is free.
    kAtOnce,     // Before StartAttempt returns.
    kWhenTold,   // By EndAttempt.
  };

  AttemptOutcome outcome;
  Ends ends = Ends::kOnTheWire;
};

class ScriptedTransport final : public BlockingPort {
 public:
  // The attempts in their order; the last of the list stands for all later
  // ones. Without a wire, cancelled attempts end before the cancel returns.
  explicit ScriptedTransport(std::vector<ScriptedAttempt> script,
                             WorkerThreads* wire = nullptr);

  // For an AsyncDriver: where the ends of attempts go. Without it they go to
  // Wait. Call it before the first attempt.
  void PostTo(std::weak_ptr<void> owner,
              std::function<void(const StepEvent&)> post);

  // Run inside the driver's calls, before anything else is done there.
  std::function<void(const StartAttempt&)> on_start;
  std::function<void(const FinishCall&)> on_finish;
  std::function<void(const CallEvent&)> on_event;

  void EndAttempt(int attempt, const AttemptOutcome& outcome);

  // Null if the call does not finish.
  absl::optional<FinishCall> WaitForFinish();

  // The driver's actions, timers excepted (those are TimerPort's).
  std::vector<Action> Done() const;
  // The same as ActionText; without deadlines that is stable.
  std::vector<std::string> DoneText() const;
  // The first promise that the driver broke; "" if none.
  std::string Broken() const;
  int starts() const { return starts_.load(); }
  // How often the live attempts were cancelled as a whole.
  int cancels_of_live() const { return cancels_of_live_.load(); }

  void Do(const StartAttempt& action) override;
  void Do(const CancelAttempt& action) override;
  void Do(const CommitAttempt& action) override;
  void Do(const FinishCall& action) override;
  void Observe(const CallEvent& event) override;
  absl::optional<AttemptEnded> Wait(Instant until) override;
  void CancelLive() override;

 private:
  // The driver is in one of its calls.
  class Visit;

  void Note(const Action& action);
  void Break(const std::string& promise) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Ends the attempt, on a thread of the wire where there is one.
  void EndSoon(int attempt, const AttemptOutcome& outcome);
  const ScriptedAttempt& ScriptOf(int attempt) const;

  const std::vector<ScriptedAttempt> script_;
  WorkerThreads* const wire_;
  std::weak_ptr<void> owner_;
  std::function<void(const StepEvent&)> post_;
  std::atomic<int> visitors_{0};
  std::atomic<int> starts_{0};
  std::atomic<int> cancels_of_live_{0};

  mutable Mutex mu_;
  CondVar changed_;
  std::vector<Action> done_ ABSL_GUARDED_BY(mu_);
  std::set<int> live_ ABSL_GUARDED_BY(mu_);
  std::deque<AttemptEnded> ended_ ABSL_GUARDED_BY(mu_);  // For Wait.
  absl::optional<FinishCall> finish_ ABSL_GUARDED_BY(mu_);
  absl::optional<CallEvent::Type> last_event_ ABSL_GUARDED_BY(mu_);
  std::string broken_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_SUPPORT_SCRIPTED_TRANSPORT_H_
