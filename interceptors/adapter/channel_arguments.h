// What a channel must be told so that core and retrykit do not work against
// each other.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CHANNEL_ARGUMENTS_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CHANNEL_ARGUMENTS_H_

#include <grpcpp/support/channel_arguments.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "interceptors/config/config.h"

namespace retrykit {

// Errors: InvalidArgument if the arguments hold a service config already.
absl::Status CheckChannelArguments(const grpc::ChannelArguments& arguments);

// Adds, unless the application set them: core's part of the config and no
// other from resolvers; reconnect backoff that lets retries and probes find a
// server that is back (initial: the smallest initialBackoff, at least 50 ms;
// maximum: the smallest openDuration, never below the initial, whoever set it).
void AddChannelArguments(const ParsedConfig& config,
                         grpc::ChannelArguments& arguments);

// "xds:" targets get their config, and so core's retries, from elsewhere.
bool IsXdsTarget(absl::string_view target);
// Turns core's retries off unless the application decided on them. False: it
// has turned them on.
bool DisableCoreRetries(grpc::ChannelArguments& arguments);

// What core's own validator says of the part that core gets.
// Errors: InvalidArgument with core's text.
absl::Status ValidateCorePart(const ParsedConfig& config);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CHANNEL_ARGUMENTS_H_
