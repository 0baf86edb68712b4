// Between gRPC's deadlines and instants of the injected clock.
//
// Thread-safety: pure functions but for reading clocks.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_GRPC_TIME_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_GRPC_TIME_H_

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>

#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"

namespace retrykit {

// The context's deadline as an instant of `clock`; a GPR_TIMESPAN counts from
// now.
Instant DeadlineOf(const grpc::ClientContext& context, const Clock& clock);

// An instant of `clock` as gRPC takes it.
gpr_timespec ToTimespec(Instant at, const Clock& clock);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_GRPC_TIME_H_
