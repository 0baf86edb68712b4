#include "interceptors/adapter/client_context_access.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/call_op_set.h>  // InterceptorBatchMethodsImpl, wherever it stands.

#include <map>
#include <string>

namespace retrykit {
namespace {

// Instantiated with a pointer to a private member, it defines the friend
// function through which that pointer comes out: ordinary code may then call
// Get(TheTag()).
template <typename Tag, typename Tag::Pointer kMember>
struct Expose {
  friend typename Tag::Pointer Get(Tag) { return kMember; }
};

#define RETRYKIT_EXPOSE(tag, owner, type, member) \
  struct tag {                                    \
    using Pointer = type owner::*;                \
    friend Pointer Get(tag);                      \
  };                                              \
  template struct Expose<tag, &owner::member>

using Metadata = std::multimap<std::string, std::string>;

RETRYKIT_EXPOSE(WaitForReady, grpc::ClientContext, bool, wait_for_ready_);
RETRYKIT_EXPOSE(WaitForReadySet, grpc::ClientContext, bool,
                wait_for_ready_explicitly_set_);
RETRYKIT_EXPOSE(Authority, grpc::ClientContext, std::string, authority_);
RETRYKIT_EXPOSE(SendMetadata, grpc::ClientContext, Metadata,
                send_initial_metadata_);
RETRYKIT_EXPOSE(Parent, grpc::ClientContext, grpc_call*, propagate_from_call_);
RETRYKIT_EXPOSE(Propagation, grpc::ClientContext, grpc::PropagationOptions,
                propagation_options_);
RETRYKIT_EXPOSE(Compression, grpc::ClientContext, grpc_compression_algorithm,
                compression_algorithm_);
RETRYKIT_EXPOSE(Corked, grpc::ClientContext, bool, initial_metadata_corked_);

RETRYKIT_EXPOSE(BatchCall, grpc::internal::InterceptorBatchMethodsImpl,
                grpc::internal::Call*, call_);
RETRYKIT_EXPOSE(BatchSendFailed, grpc::internal::InterceptorBatchMethodsImpl,
                bool*, fail_send_message_);
RETRYKIT_EXPOSE(BatchOps, grpc::internal::InterceptorBatchMethodsImpl,
                grpc::internal::CallOpSetInterface*, ops_);

// Generated stubs receive every response as this.
using ReceiveMessage =
    grpc::internal::CallOpRecvMessage<google::protobuf::MessageLite>;
RETRYKIT_EXPOSE(AllowNoMessage, ReceiveMessage, bool,
                allow_not_getting_message_);

#undef RETRYKIT_EXPOSE

struct CallbackQueue {
  using Pointer = grpc::CompletionQueue* (grpc::ChannelInterface::*)();
  friend Pointer Get(CallbackQueue);
};
template struct Expose<CallbackQueue, &grpc::ChannelInterface::CallbackCQ>;

template <typename Tag>
void CopyMember(const grpc::ClientContext& from, grpc::ClientContext& to,
                Tag tag) {
  to.*Get(tag) = from.*Get(tag);
}

// gRPC has one implementation of the batch interface for calls; the other is
// for PRE_SEND_CANCEL, which never comes here.
grpc::internal::InterceptorBatchMethodsImpl& Implementation(
    grpc::experimental::InterceptorBatchMethods& batch) {
  return static_cast<grpc::internal::InterceptorBatchMethodsImpl&>(batch);
}

}  // namespace

void CopySettings(grpc::ClientContext& from, grpc::ClientContext& to) {
  CopyMember(from, to, SendMetadata());
  CopyMember(from, to, WaitForReady());
  CopyMember(from, to, WaitForReadySet());
  CopyMember(from, to, Authority());
  CopyMember(from, to, Parent());
  CopyMember(from, to, Propagation());
  CopyMember(from, to, Corked());
  // The setter would add a header that is among the metadata already.
  CopyMember(from, to, Compression());
  if (auto credentials = from.credentials()) to.set_credentials(credentials);
  to.set_census_context(from.census_context());
}

absl::optional<std::string> FindMetadata(const grpc::ClientContext& context,
                                         const std::string& key) {
  const Metadata& metadata = context.*Get(SendMetadata());
  const auto found = metadata.find(key);
  if (found == metadata.end()) return absl::nullopt;
  return found->second;
}

bool HasParent(const grpc::ClientContext& context) {
  return context.*Get(Parent()) != nullptr;
}

// The getter is not const, and changes nothing.
void SetParent(const grpc::ServerContextBase& server,
               grpc::ClientContext& context) {
  context.*Get(Parent()) =
      const_cast<grpc::ServerContextBase&>(server).c_call();
}

void ReplaceMetadata(grpc::ClientContext& context, const std::string& key,
                     const std::string& value) {
  Metadata& metadata = context.*Get(SendMetadata());
  metadata.erase(key);
  metadata.emplace(key, value);
}

absl::optional<bool> ExplicitWaitForReady(const grpc::ClientContext& context) {
  if (!(context.*Get(WaitForReadySet()))) return absl::nullopt;
  return context.*Get(WaitForReady());
}

bool IsCallbackBatch(grpc::experimental::InterceptorBatchMethods& batch,
                     grpc::ChannelInterface& channel) {
  grpc::internal::Call* call = Implementation(batch).*Get(BatchCall());
  return call->cq() == (channel.*Get(CallbackQueue()))();
}

// A batch of another kind has no such part: then there is nothing to show.
void FailReceive(grpc::experimental::InterceptorBatchMethods& batch) {
  auto* ops = Implementation(batch).*Get(BatchOps());
  if (auto* receive = dynamic_cast<ReceiveMessage*>(ops)) {
    receive->*Get(AllowNoMessage()) = false;
  }
}

void FailBatch(grpc::experimental::InterceptorBatchMethods& batch) {
  bool* failed = Implementation(batch).*Get(BatchSendFailed());
  if (failed != nullptr) *failed = true;
}

}  // namespace retrykit
