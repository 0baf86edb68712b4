#include "interceptors/core/attempt_outcome.h"

namespace retrykit {

const char* DelaySourceText(DelaySource source) {
  switch (source) {
    case DelaySource::kNone:
      return "none";
    case DelaySource::kBackoff:
      return "backoff";
    case DelaySource::kPushback:
      return "pushback";
    case DelaySource::kRetryInfo:
      return "retry_info";
    case DelaySource::kHedging:
      return "hedging";
  }
  return "unknown";
}

const char* AttemptKindText(AttemptKind kind) {
  switch (kind) {
    case AttemptKind::kFirst:
      return "first";
    case AttemptKind::kRetry:
      return "retry";
    case AttemptKind::kHedge:
      return "hedge";
  }
  return "unknown";
}

}  // namespace retrykit
