#include "tests/property/engine_invariants.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/core/reason.h"
#include "interceptors/engine/events.h"
#include "tests/support/step_text.h"

namespace retrykit {
namespace {

template <typename Wanted>
const Wanted* Find(const Actions& actions) {
  for (const Action& action : actions.list) {
    if (const auto* found = std::get_if<Wanted>(&action)) return found;
  }
  return nullptr;
}

template <typename Wanted>
bool Is(const StepEvent& event) {
  return std::holds_alternative<Wanted>(event);
}

// What a driver knows of a call after some of its steps.
struct Progress {
  std::set<int> live;                     // Attempts.
  std::map<int, absl::StatusCode> ended;  // While they were live.
  std::set<int> armed;                    // Timers.
  int started = 0;
  bool committed = false;
  bool begun = false;
  bool cancelled = false;
  bool finished = false;
  Instant now;  // The latest since the call began.

  void Happen(const TracedStep& step) {
    now = begun ? std::max(now, step.now) : step.now;
    if (Is<CallStarted>(step.event)) begun = true;
    if (Is<CallCancelled>(step.event)) begun = cancelled = true;
    if (const auto* end = std::get_if<AttemptEnded>(&step.event)) {
      if (live.erase(end->attempt) > 0) ended[end->attempt] = end->outcome.code;
    }
    if (const auto* fired = std::get_if<TimerFired>(&step.event))
      armed.erase(fired->timer);
  }

  void Do(const Action& action) {
    if (const auto* start = std::get_if<StartAttempt>(&action)) {
      live.insert(start->attempt);
      ++started;
    }
    if (const auto* cancel = std::get_if<CancelAttempt>(&action))
      live.erase(cancel->attempt);
    if (const auto* arm = std::get_if<ArmTimer>(&action))
      armed.insert(arm->timer);
    if (const auto* disarm = std::get_if<DisarmTimer>(&action))
      armed.erase(disarm->timer);
    if (std::holds_alternative<CommitAttempt>(action)) committed = true;
    if (std::holds_alternative<FinishCall>(action)) finished = true;
  }
};

// Asks about every action of every call, with what was known before it and
// the step that it belongs to; and about every call at its end, without an
// action. The question gives what is broken, or "".
template <typename Question>
std::string AskAll(const ScriptTrace& trace, const Question& question) {
  for (const CallTrace& call : trace.calls) {
    Progress progress;
    for (const TracedStep& step : call.steps) {
      progress.Happen(step);
      for (const Action& action : step.actions.list) {
        const std::string broken = question(call, progress, step, &action);
        if (!broken.empty()) return broken;
        progress.Do(action);
      }
    }
    const std::string broken =
        question(call, progress, call.steps.back(), nullptr);
    if (!broken.empty()) return broken;
  }
  return "";
}

std::string Said(bool broken, const Action* action) {
  if (!broken) return "";
  return action == nullptr ? "at the end of a call"
                           : ActionText(*action, Instant());
}

template <typename Wanted>
const Wanted* As(const Action* action) {
  return action == nullptr ? nullptr : std::get_if<Wanted>(action);
}

}  // namespace

namespace broken {

std::string FinishIsLastAndOnce(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace& call, const Progress& before,
                          const TracedStep&, const Action* action) {
    if (action == nullptr) {
      return Said(!before.finished || !call.finished, action);
    }
    return Said(before.finished, action);
  });
}

std::string FinishedCallsAreSilent(const ScriptTrace& trace) {
  for (const CallTrace& call : trace.calls) {
    bool finished = false;
    for (const TracedStep& step : call.steps) {
      if (finished &&
          !(step.actions.list.empty() && step.actions.events.empty())) {
        return StepEventText(step.event);
      }
      finished = finished || Find<FinishCall>(step.actions) != nullptr;
    }
  }
  return "";
}

std::string NoStartAfterCommitOrCancel(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace&, const Progress& before,
                          const TracedStep&, const Action* action) {
    return Said(As<StartAttempt>(action) != nullptr &&
                    (before.committed || before.cancelled),
                action);
  });
}

std::string AttemptsAreLimitedAndNumberedInOrder(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace& call, const Progress& before,
                          const TracedStep&, const Action* action) {
    const auto* start = As<StartAttempt>(action);
    const int most =
        call.hedging ? call.hedging->max_attempts : call.rules.max_attempts;
    return Said(start != nullptr && (start->attempt != before.started + 1 ||
                                     start->attempt > most),
                action);
  });
}

std::string NoAttemptBeginsAtOrPastTheDeadline(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace& call, const Progress& before,
                          const TracedStep&, const Action* action) {
    const auto* start = As<StartAttempt>(action);
    return Said(start != nullptr && (before.now >= call.setup.deadline ||
                                     start->deadline > call.setup.deadline ||
                                     start->deadline <= before.now),
                action);
  });
}

std::string TimersFireOrAreDisarmed(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace&, const Progress& before,
                          const TracedStep&, const Action* action) {
    return Said(action == nullptr && !before.armed.empty(), action);
  });
}

std::string TimersEndBeforeTheDeadline(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace& call, const Progress& before,
                          const TracedStep&, const Action* action) {
    const auto* arm = As<ArmTimer>(action);
    return Said(arm != nullptr &&
                    (arm->at < before.now || arm->at >= call.setup.deadline),
                action);
  });
}

std::string OneLiveAttemptAfterCommit(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace&, const Progress& before,
                          const TracedStep&, const Action* action) {
    const auto* commit = As<CommitAttempt>(action);
    const bool of_another =
        commit != nullptr &&
        (before.committed || before.live != std::set<int>{commit->attempt});
    return Said(of_another || (before.committed && before.live.size() > 1),
                action);
  });
}

std::string LiveAttemptsAreCancelledAtTheEnd(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace&, const Progress& before,
                          const TracedStep&, const Action* action) {
    const auto* cancel = As<CancelAttempt>(action);
    const bool of_none =
        cancel != nullptr && before.live.count(cancel->attempt) == 0;
    const bool too_late = before.finished && !before.live.empty();
    return Said(of_none || too_late, action);
  });
}

std::string FinishTellsWhatHappened(const ScriptTrace& trace) {
  return AskAll(trace, [](const CallTrace&, const Progress& before,
                          const TracedStep&, const Action* action) {
    const auto* finish = As<FinishCall>(action);
    if (finish == nullptr) return std::string();
    const auto told = before.ended.find(finish->attempt);
    const bool of_none = finish->attempt != 0 && (told == before.ended.end() ||
                                                  told->second != finish->code);
    const bool never_failed = finish->last_failure != 0 &&
                              before.ended.count(finish->last_failure) == 0;
    const bool not_ok = finish->reason == Reason::kSuccess &&
                        finish->code != absl::StatusCode::kOk;
    return Said(of_none || never_failed || not_ok ||
                    finish->attempts != before.started ||
                    finish->reason == Reason::kNone,
                action);
  });
}

std::string PermitsComeBack(const ScriptTrace& trace) {
  if (trace.probes_given == trace.probes_due) return "";
  return absl::StrCat(trace.probes_given, " probes of ", trace.probes_due);
}

std::string BudgetStaysInside(const ScriptTrace& trace) {
  for (const CallTrace& call : trace.calls) {
    for (const TracedStep& step : call.steps) {
      if (step.milli_tokens < 0 || step.milli_tokens > step.max_milli_tokens)
        return absl::StrCat(step.milli_tokens, " milli-tokens");
    }
  }
  return "";
}

std::string EventsTellTheWholeCall(const ScriptTrace& trace) {
  for (const CallTrace& call : trace.calls) {
    std::vector<CallEvent> told;
    for (const TracedStep& step : call.steps)
      told.insert(told.end(), step.actions.events.begin(),
                  step.actions.events.end());
    const auto starts =
        std::count_if(told.begin(), told.end(), [](const CallEvent& event) {
          return event.type == CallEvent::Type::kCallStarted;
        });
    const auto ends =
        std::count_if(told.begin(), told.end(), [](const CallEvent& event) {
          return event.type == CallEvent::Type::kCallEnded;
        });
    std::map<int, int> open;  // Attempts: starts told less ends.
    for (const CallEvent& event : told) {
      if (event.type == CallEvent::Type::kAttemptStarted) ++open[event.attempt];
      if (event.type == CallEvent::Type::kAttemptEnded) --open[event.attempt];
    }
    for (const auto& [attempt, left] : open) {
      if (left != 0) return absl::StrCat("attempt ", attempt, " stays open");
    }
    if (starts != 1 || told.front().type != CallEvent::Type::kCallStarted ||
        ends != 1 || told.back().type != CallEvent::Type::kCallEnded) {
      return absl::StrCat(starts, " starts, ", ends, " ends");
    }
  }
  return "";
}

std::string NoDurationIsNegative(const ScriptTrace& trace) {
  for (const CallTrace& call : trace.calls) {
    for (const TracedStep& step : call.steps) {
      for (const CallEvent& event : step.actions.events) {
        if (std::min({event.since_start, event.duration, event.delay}) <
            absl::ZeroDuration())
          return CallEventText(event);
      }
    }
  }
  return "";
}

}  // namespace broken

std::string FirstBrokenInvariant(const ScriptTrace& trace) {
  struct Invariant {
    const char* name;
    std::string (*broken)(const ScriptTrace&);
  };
  static constexpr Invariant kAll[] = {
      {"FinishIsLastAndOnce", broken::FinishIsLastAndOnce},
      {"FinishedCallsAreSilent", broken::FinishedCallsAreSilent},
      {"NoStartAfterCommitOrCancel", broken::NoStartAfterCommitOrCancel},
      {"AttemptsAreLimitedAndNumberedInOrder",
       broken::AttemptsAreLimitedAndNumberedInOrder},
      {"NoAttemptBeginsAtOrPastTheDeadline",
       broken::NoAttemptBeginsAtOrPastTheDeadline},
      {"TimersFireOrAreDisarmed", broken::TimersFireOrAreDisarmed},
      {"TimersEndBeforeTheDeadline", broken::TimersEndBeforeTheDeadline},
      {"OneLiveAttemptAfterCommit", broken::OneLiveAttemptAfterCommit},
      {"LiveAttemptsAreCancelledAtTheEnd",
       broken::LiveAttemptsAreCancelledAtTheEnd},
      {"FinishTellsWhatHappened", broken::FinishTellsWhatHappened},
      {"PermitsComeBack", broken::PermitsComeBack},
      {"BudgetStaysInside", broken::BudgetStaysInside},
      {"EventsTellTheWholeCall", broken::EventsTellTheWholeCall},
      {"NoDurationIsNegative", broken::NoDurationIsNegative},
  };
  for (const Invariant& invariant : kAll) {
    const std::string broken = invariant.broken(trace);
    if (!broken.empty()) {
      return absl::StrCat(invariant.name, ": ", broken, "\n", TraceText(trace));
    }
  }
  return "";
}

}  // namespace retrykit
