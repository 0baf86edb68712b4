#include "interceptors/adapter/grpc_time.h"

#include <cstdint>

#include "absl/time/time.h"

namespace retrykit {
namespace {

Instant FromTimespec(gpr_timespec monotonic) {
  const absl::Duration since_origin =
      absl::Seconds(monotonic.tv_sec) + absl::Nanoseconds(monotonic.tv_nsec);
  return Instant() + since_origin;
}

}  // namespace

// gRPC's monotonic clock and MonotonicClock() are the same: CLOCK_MONOTONIC.
Instant DeadlineOf(const grpc::ClientContext& context, const Clock& clock) {
  const gpr_timespec deadline =
      gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC);
  if (gpr_time_cmp(deadline, gpr_inf_future(GPR_CLOCK_MONOTONIC)) == 0) {
    return Instant::InfiniteFuture();
  }
  const Instant at = FromTimespec(deadline);
  if (&clock == &MonotonicClock()) return at;
  return clock.Now() + (at - MonotonicClock().Now());
}

gpr_timespec ToTimespec(Instant at, const Clock& clock) {
  if (at.is_infinite()) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  if (&clock != &MonotonicClock())
    at = MonotonicClock().Now() + (at - clock.Now());
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  gpr_timespec result;
  result.tv_sec = at.nanos() / kNanosPerSecond;
  result.tv_nsec = static_cast<int32_t>(at.nanos() % kNanosPerSecond);
  result.clock_type = GPR_CLOCK_MONOTONIC;
  return result;
}

}  // namespace retrykit
