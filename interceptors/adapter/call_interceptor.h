// Where gRPC's hooks come in: one small interceptor per treatment, and the
// factory that chooses.
//
// Thread-safety: as gRPC calls them: hooks of one call on several threads.
// Lifetime: owned by the call's ClientContext; the factory by the channel.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CALL_INTERCEPTOR_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CALL_INTERCEPTOR_H_

#include <grpcpp/support/client_interceptor.h>

#include <memory>

#include "interceptors/adapter/channel_state.h"

namespace retrykit {

std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>
MakeInterceptorFactory(std::shared_ptr<ChannelState> channel);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CALL_INTERCEPTOR_H_
