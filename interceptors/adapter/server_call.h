// In a server's handler: what the calls that it makes take over from the call
// that it serves, and what it tells the layer above.
//
//   grpc::Status Handle(grpc::ServerContext* server, const Request* in,
//                       Reply* out) {
//     grpc::ClientContext context;
//     retrykit::ContinueFrom(*server, &context);
//     grpc::Status status = stub_->Next(&context, *in, out);
//     if (!status.ok()) retrykit::StopUpstreamRetries(server);
//     return status;
//   }
//
// Works with synchronous, callback and completion-queue servers.
//
// Thread-safety: as grpc::ServerContext and grpc::ClientContext: the client
// context may be prepared on another thread than the handler's.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_SERVER_CALL_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_SERVER_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>

namespace retrykit {

// The outgoing call gets the inbound deadline, if that is earlier than its
// own, the inbound call's cancellation, and the number of attempts that the
// layers above have made: a call on behalf of an inbound retry is not retried
// itself (`nestedRetries`: SUPPRESS). Call it after the context's deadline was
// set and before the call starts.
// Lifetime: the server context must be alive when the call starts.
void ContinueFrom(const grpc::ServerContextBase& server,
                  grpc::ClientContext* context);

// Tells the caller's layer, by pushback, not to retry what this layer gave up.
// Call it before the status is sent.
void StopUpstreamRetries(grpc::ServerContextBase* server);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_SERVER_CALL_H_
