#include "tests/support/scripted_transport.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptors/core/clock.h"
#include "tests/support/real_time.h"
#include "tests/support/step_text.h"

namespace retrykit {
namespace {

AttemptOutcome Cancelled() {
  AttemptOutcome outcome;
  outcome.code = absl::StatusCode::kCancelled;
  return outcome;
}

int AttemptOf(const Action& action) {
  if (const auto* start = std::get_if<StartAttempt>(&action))
    return start->attempt;
  if (const auto* cancel = std::get_if<CancelAttempt>(&action))
    return cancel->attempt;
  if (const auto* commit = std::get_if<CommitAttempt>(&action))
    return commit->attempt;
  return 0;
}

}  // namespace

class ScriptedTransport::Visit {
 public:
  explicit Visit(ScriptedTransport& transport) : transport_(transport) {
    if (transport_.visitors_.fetch_add(1) == 0) return;
    MutexLock lock(transport_.mu_);
    transport_.Break("two actions at once");
  }
  ~Visit() { transport_.visitors_.fetch_sub(1); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  ScriptedTransport& transport_;
};

ScriptedTransport::ScriptedTransport(std::vector<ScriptedAttempt> script,
                                     WorkerThreads* wire)
    : script_(std::move(script)), wire_(wire) {}

void ScriptedTransport::PostTo(std::weak_ptr<void> owner,
                               std::function<void(const StepEvent&)> post) {
  owner_ = std::move(owner);
  post_ = std::move(post);
}

void ScriptedTransport::Do(const StartAttempt& action) {
  const Visit visit(*this);
  if (on_start) on_start(action);
  Note(action);
  starts_.fetch_add(1);
  {
    MutexLock lock(mu_);
    live_.insert(action.attempt);
  }
  const ScriptedAttempt& script = ScriptOf(action.attempt);
  if (script.ends == ScriptedAttempt::Ends::kAtOnce)
    EndAttempt(action.attempt, script.outcome);
  if (script.ends == ScriptedAttempt::Ends::kOnTheWire)
    EndSoon(action.attempt, script.outcome);
}

void ScriptedTransport::Do(const CancelAttempt& action) {
  const Visit visit(*this);
  Note(action);
  EndSoon(action.attempt, Cancelled());
}

void ScriptedTransport::Do(const CommitAttempt& action) {
  const Visit visit(*this);
  Note(action);
}

void ScriptedTransport::Do(const FinishCall& action) {
  const Visit visit(*this);
  if (on_finish) on_finish(action);
  Note(action);
  MutexLock lock(mu_);
  finish_ = action;
  changed_.NotifyAll();
}

void ScriptedTransport::Observe(const CallEvent& event) {
  const Visit visit(*this);
  if (on_event) on_event(event);
  MutexLock lock(mu_);
  if (!last_event_ && event.type != CallEvent::Type::kCallStarted)
    Break("events begin without call_started");
  if (last_event_ == CallEvent::Type::kCallEnded)
    Break("an event after call_ended");
  last_event_ = event.type;
}

absl::optional<AttemptEnded> ScriptedTransport::Wait(Instant until) {
  MutexLock lock(mu_);
  if (live_.empty() && ended_.empty()) Break("waits without an attempt");
  while (ended_.empty() && MonotonicClock().Now() < until)
    changed_.WaitUntil(mu_, until);
  if (ended_.empty()) return absl::nullopt;
  const AttemptEnded ended = ended_.front();
  ended_.pop_front();
  return ended;
}

void ScriptedTransport::CancelLive() {
  cancels_of_live_.fetch_add(1);
  std::set<int> live;
  {
    MutexLock lock(mu_);
    live = live_;
  }
  for (int attempt : live) EndSoon(attempt, Cancelled());
}

void ScriptedTransport::EndAttempt(int attempt, const AttemptOutcome& outcome) {
  {
    MutexLock lock(mu_);
    if (live_.erase(attempt) == 0) return;
    if (!post_) {
      ended_.push_back({attempt, outcome});
      changed_.NotifyAll();
      return;
    }
  }
  post_(AttemptEnded{attempt, outcome});
}

void ScriptedTransport::EndSoon(int attempt, const AttemptOutcome& outcome) {
  if (wire_ == nullptr) return EndAttempt(attempt, outcome);
  wire_->Run([this, owner = owner_.lock(), attempt, outcome] {
    EndAttempt(attempt, outcome);
  });
}

const ScriptedAttempt& ScriptedTransport::ScriptOf(int attempt) const {
  const auto index = static_cast<size_t>(attempt) - 1;
  return script_[std::min(index, script_.size() - 1)];
}

absl::optional<FinishCall> ScriptedTransport::WaitForFinish() {
  const Instant until = MonotonicClock().Now() + kPatience;
  MutexLock lock(mu_);
  while (!finish_ && MonotonicClock().Now() < until)
    changed_.WaitUntil(mu_, until);
  return finish_;
}

void ScriptedTransport::Note(const Action& action) {
  MutexLock lock(mu_);
  const int attempt = AttemptOf(action);
  const bool known =
      std::any_of(done_.begin(), done_.end(), [attempt](const Action& before) {
        return std::holds_alternative<StartAttempt>(before) &&
               AttemptOf(before) == attempt;
      });
  const bool start = std::holds_alternative<StartAttempt>(action);
  if (attempt != 0 && start == known)
    Break(start ? "an attempt started twice" : "an attempt not started yet");
  if (finish_) Break(absl::StrCat("after the end: ", ActionText(action, {})));
  done_.push_back(action);
}

void ScriptedTransport::Break(const std::string& promise) {
  if (broken_.empty()) broken_ = promise;
}

std::vector<Action> ScriptedTransport::Done() const {
  MutexLock lock(mu_);
  return done_;
}

std::vector<std::string> ScriptedTransport::DoneText() const {
  std::vector<std::string> lines;
  for (const Action& action : Done()) lines.push_back(ActionText(action, {}));
  return lines;
}

std::string ScriptedTransport::Broken() const {
  MutexLock lock(mu_);
  return broken_;
}

}  // namespace retrykit
