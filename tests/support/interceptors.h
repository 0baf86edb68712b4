// Interceptors that an application might register after retrykit's.
//
//   auto seen = std::make_shared<AttemptCounter>();
//   setup.interceptors.push_back(CountingFactory(seen));
//   setup.interceptors.push_back(FactoryOf([](auto* info) { return nullptr;
//   }));
//
// Thread-safety: any thread.
#ifndef TESTS_SUPPORT_INTERCEPTORS_H_
#define TESTS_SUPPORT_INTERCEPTORS_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/interceptor.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"

namespace retrykit {

using InterceptorFactory =
    grpc::experimental::ClientInterceptorFactoryInterface;

// A factory that does what a function says.
std::unique_ptr<InterceptorFactory> FactoryOf(
    std::function<
        grpc::experimental::Interceptor*(grpc::experimental::ClientRpcInfo*)>
        create);

// What a counting interceptor saw.
struct AttemptCounter {
  std::atomic<int> created{0};  // The factory was asked.
  std::atomic<int> starts{0};   // PRE_SEND_INITIAL_METADATA.
  std::atomic<int> typed_requests{
      0};                    // PRE_SEND_MESSAGE with the message itself.
  std::atomic<int> ends{0};  // POST_RECV_STATUS.
};

// Counts, and lets everything pass.
std::unique_ptr<InterceptorFactory> CountingFactory(
    std::shared_ptr<AttemptCounter> counter);

// Answers every call with one of its own on the rest of the channel, as gRPC's
// GetInterceptedChannel gives it; messages are grpc::ByteBuffer. Unary calls.
std::unique_ptr<InterceptorFactory> ReissuingFactory(
    std::shared_ptr<AttemptCounter> counter);

// Before an attempt goes it gets a token from the echo service on `channel`, by
// a call with the id "token", and sends the response's text as metadata
// "token". `channel` is read when a call starts.
std::unique_ptr<InterceptorFactory> TokenFetchingFactory(
    const std::shared_ptr<grpc::Channel>& channel);

// Remembers the census context of the calls that pass. It must outlive its
// factory.
class CensusContexts {
 public:
  std::unique_ptr<InterceptorFactory> Factory();
  std::vector<const void*> seen() const;

 private:
  mutable Mutex mu_;
  std::vector<const void*> seen_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_INTERCEPTORS_H_
