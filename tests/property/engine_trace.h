// What a script did to a few calls and what their engines answered.
//
// Thread-safety: plain values.
#ifndef RETRYKIT_TESTS_PROPERTY_ENGINE_TRACE_H_
#define RETRYKIT_TESTS_PROPERTY_ENGINE_TRACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "interceptors/core/instant.h"
#include "interceptors/engine/call_engine.h"
#include "interceptors/engine/step.h"
#include "interceptors/policy/verdict.h"

namespace retrykit {

struct TracedStep {
  StepEvent event;
  Instant now;  // As given to the engine; may be earlier than the step before.
  Actions actions;
  int64_t milli_tokens = 0;  // Afterwards; 0 without a budget.
  int64_t max_milli_tokens = 0;
};

struct CallTrace {
  RetryRules rules;
  absl::optional<HedgeRules> hedging;  // Unset: retried, if at all.
  CallSetup setup;                     // Its pointers are dead.
  std::vector<TracedStep> steps;
  bool finished = false;  // At the end, as the engine says.
};

struct ScriptTrace {
  std::vector<CallTrace> calls;
  // When all calls had ended: probes that a half-open breaker should have had
  // to give, and those that it gave. Both 0 where it was in another state.
  int probes_due = 0;
  int probes_given = 0;
};

// The whole trace, one line per event and per action.
std::string TraceText(const ScriptTrace& trace);

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_PROPERTY_ENGINE_TRACE_H_
