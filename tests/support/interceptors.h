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

#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/interceptor.h>

#include <atomic>
#include <functional>
#include <memory>

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

}  // namespace retrykit

#endif  // TESTS_SUPPORT_INTERCEPTORS_H_
