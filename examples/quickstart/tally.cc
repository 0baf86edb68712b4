#include "examples/quickstart/tally.h"

#include "absl/strings/str_cat.h"

namespace quickstart {

using Type = retrykit::CallEvent::Type;
using State = retrykit::CircuitBreaker::State;

void Tally::OnEvent(const retrykit::CallEvent& event) {
  switch (event.type) {
    case Type::kAttemptStarted:
      ++attempts;
      if (event.attempt_kind == retrykit::AttemptKind::kRetry) ++retries;
      return;
    case Type::kRetrySuppressed:
      ++suppressed;
      return;
    case Type::kBreakerChanged:
      if (event.to == State::kOpen) ++breaker_opened;
      return say_(absl::StrCat("breaker: ", CircuitStateText(event.from),
                               " -> ", CircuitStateText(event.to)));
    default:
      return;
  }
}

}  // namespace quickstart
