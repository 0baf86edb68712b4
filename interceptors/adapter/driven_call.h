// A call that retrykit drives, as gRPC's hooks see it.
//
// Thread-safety: hooks of one call come on several threads at once; Cancel
// under gRPC's own mutex of the context, before Begin even.
// Lifetime: shared by the interceptor and by attempts and timers in flight.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_DRIVEN_CALL_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_DRIVEN_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_interceptor.h>

namespace retrykit {

class DrivenCall {
 public:
  virtual ~DrivenCall() = default;

  // The first batch with PRE_SEND_INITIAL_METADATA: hijacks and starts.
  virtual void Begin(grpc::experimental::InterceptorBatchMethods* methods,
                     grpc::ClientContext& outer) = 0;

  // A batch that sends nothing and came before Begin: in the callback API, when
  // the headers wait for the first message. True: it is kept until Begin, which
  // lets it Proceed as one of a hijacked call. Streams only.
  virtual bool Park(grpc::experimental::InterceptorBatchMethods* /*methods*/) {
    return false;
  }

  // A later batch that sends (PRE_SEND_MESSAGE, PRE_SEND_CLOSE). Streams only.
  virtual void Send(grpc::experimental::InterceptorBatchMethods* methods) {
    methods->Proceed();
  }

  // A batch that asks for something (PRE_RECV_*).
  virtual void Hold(grpc::experimental::InterceptorBatchMethods* methods) = 0;

  // PRE_SEND_CANCEL. Held batches must be completed on another thread.
  virtual void Cancel() = 0;

  // The application's context is gone.
  virtual void Drop() = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_DRIVEN_CALL_H_
