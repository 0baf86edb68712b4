#include "tests/property/engine_trace.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/support/step_text.h"

namespace retrykit {

std::string TraceText(const ScriptTrace& trace) {
  std::string text;
  for (size_t call = 0; call < trace.calls.size(); ++call) {
    const std::vector<TracedStep>& steps = trace.calls[call].steps;
    absl::StrAppend(&text, "call ", call + 1, "\n");
    for (const TracedStep& step : steps) {
      absl::StrAppend(&text, "  ",
                      absl::FormatDuration(step.now - steps.front().now), " ",
                      StepEventText(step.event), "\n");
      for (const Action& action : step.actions.list) {
        absl::StrAppend(&text, "    ", ActionText(action, steps.front().now),
                        "\n");
      }
    }
  }
  return text;
}

}  // namespace retrykit
