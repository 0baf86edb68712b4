// What must hold for every call, whatever happens to it.
//
//   EXPECT_EQ(broken::MoreThanOneFinish(trace), "");
//
// Each function tells what a trace broke; empty: nothing.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_TESTS_PROPERTY_ENGINE_INVARIANTS_H_
#define RETRYKIT_TESTS_PROPERTY_ENGINE_INVARIANTS_H_

#include <string>

#include "tests/property/engine_trace.h"

namespace retrykit {
namespace broken {

std::string FinishIsLastAndOnce(const ScriptTrace& trace);
std::string FinishedCallsAreSilent(const ScriptTrace& trace);
std::string NoStartAfterCommitOrCancel(const ScriptTrace& trace);
std::string AttemptsAreLimitedAndNumberedInOrder(const ScriptTrace& trace);
std::string NoAttemptBeginsAtOrPastTheDeadline(const ScriptTrace& trace);
std::string TimersFireOrAreDisarmed(const ScriptTrace& trace);
std::string TimersEndBeforeTheDeadline(const ScriptTrace& trace);
std::string OneLiveAttemptAfterCommit(const ScriptTrace& trace);
std::string LiveAttemptsAreCancelledAtTheEnd(const ScriptTrace& trace);
std::string FinishTellsWhatHappened(const ScriptTrace& trace);
std::string PermitsComeBack(const ScriptTrace& trace);
std::string BudgetStaysInside(const ScriptTrace& trace);
std::string EventsTellTheWholeCall(const ScriptTrace& trace);
std::string NoDurationIsNegative(const ScriptTrace& trace);

}  // namespace broken

// All of them. Empty, or the first that is broken with the trace.
std::string FirstBrokenInvariant(const ScriptTrace& trace);

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_PROPERTY_ENGINE_INVARIANTS_H_
