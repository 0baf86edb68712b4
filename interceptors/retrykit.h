// retrykit: retries, deadlines, a retry budget and circuit breakers for gRPC
// C++ clients, from one JSON file, without touching stubs.
//
//   auto toolkit = retrykit::Toolkit::FromFile("client.json");
//   if (!toolkit.ok()) return Fail(toolkit.status());
//   auto channel = (*toolkit)->CreateChannel("payments:443", credentials);
//   if (!channel.ok()) return Fail(channel.status());
//   auto stub = payments::v1::Payments::NewStub(*channel);
//
// The JSON is a gRPC service config; what is retrykit's own stands in objects
// named "retrykit". proto/retrykit/v1/service_config.proto documents every
// field.
#ifndef RETRYKIT_INTERCEPTORS_RETRYKIT_H_
#define RETRYKIT_INTERCEPTORS_RETRYKIT_H_

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "interceptors/adapter/call_scope.h"
#include "interceptors/adapter/codec.h"
#include "interceptors/adapter/options.h"
#include "interceptors/adapter/server_call.h"
#include "interceptors/engine/events.h"

namespace retrykit {

struct ParsedConfig;
class ToolkitCore;

// A checked config. Thread-safety: immutable. Lifetime: cheap to copy.
class ServiceConfig {
 public:
  // Errors: InvalidArgument with every mistake and its path, in gRPC's words.
  static absl::StatusOr<ServiceConfig> FromJson(absl::string_view json);
  // Errors: the same, the path put before; NotFound or another code of the
  // operating system's when the file cannot be read.
  static absl::StatusOr<ServiceConfig> FromFile(const std::string& path);

  // What is legal and probably not meant. Assumes max_attempts_limit 5.
  const std::vector<std::string>& warnings() const;

 private:
  friend class Toolkit;
  explicit ServiceConfig(std::shared_ptr<const ParsedConfig> parsed);

  std::shared_ptr<const ParsedConfig> parsed_;
};

// Everything that channels of one configuration share: budgets and breakers
// per target, threads, observers.
//
// Thread-safety: all members may be called from any thread.
// Lifetime: channels keep what they need; the toolkit may be dropped first, or
// last, with calls in flight too.
class Toolkit {
 public:
  using FactoryList = std::vector<
      std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;

  // Errors: InvalidArgument for options out of range, and for a part that
  // gRPC core refuses (an unknown load balancing policy, say).
  static absl::StatusOr<std::shared_ptr<Toolkit>> Create(ServiceConfig config,
                                                         Options options = {});
  static absl::StatusOr<std::shared_ptr<Toolkit>> FromFile(
      const std::string& path, Options options = {});

  // A channel with the interceptors registered, retrykit's first.
  // `per_attempt_interceptors` run once per attempt; on calls that are not
  // passed through they see messages as grpc::ByteBuffer, and their factory is
  // asked once more than there are attempts, so they should act in Intercept.
  // Errors: those of Prepare.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> CreateChannel(
      const std::string& target,
      const std::shared_ptr<grpc::ChannelCredentials>& credentials,
      const grpc::ChannelArguments& arguments = {},
      FactoryList per_attempt_interceptors = {});

  struct ChannelParts {
    grpc::ChannelArguments arguments;
    FactoryList factories;
  };

  // The same by hand, for CreateCustomChannelWithInterceptors and in-process
  // channels: use both parts or none, and put `factories` before others.
  // Errors: InvalidArgument if `arguments` already holds a service config.
  absl::StatusOr<ChannelParts> Prepare(const std::string& target,
                                       grpc::ChannelArguments arguments = {});

  // Calls that start later use `config`; calls in flight keep theirs. Budgets
  // keep their filled share, breakers their state. A channel keeps gRPC core's
  // part from its creation; a difference there is logged as a warning.
  // Errors: as Create, and then nothing has changed.
  absl::Status Reload(ServiceConfig config);

  ~Toolkit();
  Toolkit(const Toolkit&) = delete;
  Toolkit& operator=(const Toolkit&) = delete;

 private:
  friend class ToolkitPeer;  // Of the tests.

  explicit Toolkit(std::shared_ptr<ToolkitCore> core);

  // `only_interceptor`: no other factory will be on the channel.
  absl::StatusOr<ChannelParts> PrepareFor(const std::string& target,
                                          grpc::ChannelArguments arguments,
                                          bool only_interceptor);

  std::shared_ptr<ToolkitCore> core_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_RETRYKIT_H_
