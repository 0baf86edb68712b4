#include "interceptors/adapter/held_batch.h"

#include "interceptors/adapter/client_context_access.h"

namespace retrykit {
namespace {

using grpc::experimental::InterceptionHookPoints;

// A message that came with an error is handed over too, as a plain channel
// does; one that does not parse fails the batch.
void FillMessage(const HeldBatch& batch, const CallResult& result,
                 const Codec& codec) {
  if (result.response == nullptr || !result.response->Valid()) {
    batch.methods->FailHijackedRecvMessage();
    return;
  }
  if (codec.Deserialize(result.response, batch.methods->GetRecvMessage()).ok())
    return;
  batch.methods->FailHijackedRecvMessage();
  FailReceive(*batch.methods);
}

void FillStatus(const HeldBatch& batch, const CallResult& result) {
  *batch.methods->GetRecvStatus() = result.status;
  if (result.context == nullptr) return;
  const auto& trailing = result.context->GetServerTrailingMetadata();
  batch.methods->GetRecvTrailingMetadata()->insert(trailing.begin(),
                                                   trailing.end());
}

}  // namespace

HeldBatch HeldBatch::Of(grpc::experimental::InterceptorBatchMethods* methods) {
  HeldBatch batch;
  batch.methods = methods;
  batch.headers = methods->QueryInterceptionHookPoint(
      InterceptionHookPoints::PRE_RECV_INITIAL_METADATA);
  batch.message = methods->QueryInterceptionHookPoint(
      InterceptionHookPoints::PRE_RECV_MESSAGE);
  batch.status = methods->QueryInterceptionHookPoint(
      InterceptionHookPoints::PRE_RECV_STATUS);
  return batch;
}

void FillHeaders(const HeldBatch& batch, const grpc::ClientContext& context) {
  const auto& initial = context.GetServerInitialMetadata();
  batch.methods->GetRecvInitialMetadata()->insert(initial.begin(),
                                                  initial.end());
}

void Fill(const HeldBatch& batch, const CallResult& result,
          const Codec& codec) {
  if (batch.wants_headers_alone() && !result.headers_ok) {
    FailBatch(*batch.methods);
  }
  if (batch.headers && result.context != nullptr)
    FillHeaders(batch, *result.context);
  if (batch.message) FillMessage(batch, result, codec);
  if (batch.status) FillStatus(batch, result);
}

}  // namespace retrykit
