#include "interceptors/adapter/grpc_time.h"

#include <cstdint>

#include "absl/time/time.h"

namespace retrykit {
namespace {

// gRPC's monotonic clock has an origin of its own, which differs between
// releases: only the time left is carried from one clock to the other.
gpr_timespec GrpcNow() { return gpr_now(GPR_CLOCK_MONOTONIC); }

absl::Duration FromTimespan(gpr_timespec span) {
  return absl::Seconds(span.tv_sec) + absl::Nanoseconds(span.tv_nsec);
}

gpr_timespec ToTimespan(absl::Duration duration) {
  gpr_timespec span;
  span.tv_sec = absl::IDivDuration(duration, absl::Seconds(1), &duration);
  span.tv_nsec = static_cast<int32_t>(absl::ToInt64Nanoseconds(duration));
  span.clock_type = GPR_TIMESPAN;
  if (span.tv_nsec >= 0) return span;
  span.tv_nsec += 1'000'000'000;
  --span.tv_sec;
  return span;
}

}  // namespace

Instant DeadlineOf(const grpc::ClientContext& context, const Clock& clock) {
  const gpr_timespec deadline =
      gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC);
  if (gpr_time_cmp(deadline, gpr_inf_future(GPR_CLOCK_MONOTONIC)) == 0) {
    return Instant::InfiniteFuture();
  }
  if (gpr_time_cmp(deadline, gpr_inf_past(GPR_CLOCK_MONOTONIC)) == 0) {
    return Instant();
  }
  return clock.Now() + FromTimespan(gpr_time_sub(deadline, GrpcNow()));
}

gpr_timespec ToTimespec(Instant at, const Clock& clock) {
  if (at.is_infinite()) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  return gpr_time_add(GrpcNow(), ToTimespan(at - clock.Now()));
}

}  // namespace retrykit
