// Any bytes at all as a script: a few calls that share a budget and a circuit
// breaker, and what happens to them, sensible or not, in any order.
//
//   const ScriptTrace trace = PlayEngineScript(bytes);
//   EXPECT_EQ(FirstBrokenInvariant(trace), "");
//
// The first bytes choose the numbers of policy and calls; each of those that
// follow is something that happens: attempts end, live ones and such that
// never were, timers fire, time passes or goes back a little, the application
// cancels, a config is reloaded. At the end every call is cancelled, as if the
// application had dropped it.
//
// Thread-safety: pure.
#ifndef RETRYKIT_TESTS_PROPERTY_ENGINE_SCRIPT_H_
#define RETRYKIT_TESTS_PROPERTY_ENGINE_SCRIPT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "tests/property/engine_trace.h"

namespace retrykit {

ScriptTrace PlayEngineScript(absl::string_view bytes);

// The same bytes for the same seed, on every machine.
std::string RandomScript(uint64_t seed);

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_PROPERTY_ENGINE_SCRIPT_H_
