// The engine's events and actions as one line of text each, so that a story
// reads as it would be told:
//
//   EXPECT_THAT(story.End(1, Aborted()), ElementsAre("ArmTimer 1 at 20ms"));
//
// Points in time are told as durations since `origin`; what stands at its
// default is left out.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_TESTS_SUPPORT_STEP_TEXT_H_
#define RETRYKIT_TESTS_SUPPORT_STEP_TEXT_H_

#include <string>

#include "interceptors/core/instant.h"
#include "interceptors/engine/events.h"
#include "interceptors/engine/step.h"

namespace retrykit {

// "AttemptEnded 1 ABORTED pushback 200ms".
std::string StepEventText(const StepEvent& event);

// "StartAttempt 2 retry previous 1 deadline 300ms", "ArmTimer 1 at 20ms",
// "FinishCall attempt 2 ABORTED max_attempts after 2".
std::string ActionText(const Action& action, Instant origin);

// "attempt_started 2 retry after 20ms backoff", "call_ended ABORTED
// max_attempts attempts 2 took 50ms".
std::string CallEventText(const CallEvent& event);

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_SUPPORT_STEP_TEXT_H_
