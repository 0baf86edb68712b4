// What gRPC keeps private and every attempt needs.
//
// A retried attempt must carry everything that the application set on its
// ClientContext. Some of that has no getter: wait-for-ready and whether it was
// set explicitly, the authority, the corked flag, the parent server call and
// what is propagated from it. An explicit template instantiation may name
// private members (C++17 [temp.spec]/6), which is the one trick of this file:
// if a gRPC release renames one of them, the build fails here and nowhere
// else. The names are the same from gRPC 1.51 to 1.83.
//
// Thread-safety: as grpc::ClientContext: not for two threads at once.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CLIENT_CONTEXT_ACCESS_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CLIENT_CONTEXT_ACCESS_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/client_interceptor.h>

#include <string>

#include "absl/types/optional.h"

namespace retrykit {

// Makes `to` say what `from` says, but for the deadline: metadata (exactly
// those; what a global callback added to `to` is dropped), wait-for-ready,
// authority, credentials, compression, census context, corking, parent call.
// `from` must have been used for a call, or be about to be.
void CopySettings(grpc::ClientContext& from, grpc::ClientContext& to);

// The value that the context sends under `key`; nullopt if there is none.
absl::optional<std::string> FindMetadata(const grpc::ClientContext& context,
                                         const std::string& key);

// Whether the call is one on behalf of a server's call.
bool HasParent(const grpc::ClientContext& context);

// Makes the call one on behalf of `server`'s: cancelled with it.
void SetParent(const grpc::ServerContextBase& server,
               grpc::ClientContext& context);

// Makes `value` the only one that the context sends under `key`.
void ReplaceMetadata(grpc::ClientContext& context, const std::string& key,
                     const std::string& value);

// The application's explicit word on wait-for-ready; nullopt if it gave none.
absl::optional<bool> ExplicitWaitForReady(const grpc::ClientContext& context);

// Whether the batch belongs to a call of the callback API, function or
// reactor. `channel` is the call's.
bool IsCallbackBatch(grpc::experimental::InterceptorBatchMethods& batch,
                     grpc::ChannelInterface& channel);

// Lets a hijacked batch whose response did not parse complete with ok = false,
// as a plain channel does, where its API shows that.
void FailReceive(grpc::experimental::InterceptorBatchMethods& batch);

// Lets a hijacked batch that sent a message complete with ok = false, as a
// plain channel does where it could not be sent. Nothing in a batch that sent
// none.
void FailBatch(grpc::experimental::InterceptorBatchMethods& batch);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CLIENT_CONTEXT_ACCESS_H_
