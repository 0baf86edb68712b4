// A batch of the application's that waits for the call's result.
//
// gRPC asks an interceptor for what the application wants to receive; a held
// batch is filled when that is known and then let go with Proceed, after which
// it must not be touched: the application may have destroyed everything.
//
// Thread-safety: values; the call guards them.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_HELD_BATCH_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_HELD_BATCH_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/status.h>

#include "interceptors/adapter/codec.h"

namespace retrykit {

struct HeldBatch {
  // What `methods` asks for now.
  static HeldBatch Of(grpc::experimental::InterceptorBatchMethods* methods);

  bool wants_anything() const { return headers || message || status; }
  bool wants_headers_alone() const { return headers && !message && !status; }

  grpc::experimental::InterceptorBatchMethods* methods = nullptr;
  bool headers = false;
  bool message = false;
  bool status = false;
};

// What the application gets. `context` is that of the attempt that counts, or
// null for a call that has none; it must outlive the application's.
struct CallResult {
  grpc::ClientContext* context = nullptr;
  grpc::ByteBuffer* response = nullptr;
  grpc::Status status;
  // How a batch that waited for headers alone completes. A plain channel says
  // no when the call failed before it could have any.
  bool headers_ok = false;
};

// Fills everything that the batch asks for. Does not Proceed.
void Fill(const HeldBatch& batch, const CallResult& result, const Codec& codec);

// Fills the headers alone.
void FillHeaders(const HeldBatch& batch, const grpc::ClientContext& context);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_HELD_BATCH_H_
