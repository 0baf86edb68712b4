#include "interceptors/adapter/channel_arguments.h"

#include <grpc/grpc.h>
#include <grpcpp/support/validate_service_config.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace retrykit {
namespace {

constexpr absl::Duration kShortestReconnect = absl::Milliseconds(50);
// What core begins with where nothing is set.
constexpr absl::Duration kCoreInitialReconnect = absl::Seconds(1);

bool Has(const grpc::ChannelArguments& arguments, absl::string_view key) {
  const grpc_channel_args all = arguments.c_channel_args();
  return std::any_of(all.args, all.args + all.num_args,
                     [key](const grpc_arg& arg) { return key == arg.key; });
}

void SetUnlessThere(grpc::ChannelArguments& arguments, const char* key,
                    int value) {
  if (!Has(arguments, key)) arguments.SetInt(key, value);
}

int ToMillis(absl::Duration duration) {
  const int64_t millis =
      absl::ToInt64Milliseconds(absl::Ceil(duration, absl::Milliseconds(1)));
  return static_cast<int>(
      std::min<int64_t>(millis, std::numeric_limits<int>::max()));
}

// The "minimum" of core is left alone: it is how long an attempt to connect may
// take, and a connection that needs longer than a short one would never be
// made.
void SetReconnectBackoff(const PolicyTable& table,
                         grpc::ChannelArguments& arguments) {
  absl::Duration initial = kCoreInitialReconnect;
  if (const auto smallest = SmallestInitialBackoff(table)) {
    initial = std::max(*smallest, kShortestReconnect);
    SetUnlessThere(arguments, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
                   ToMillis(initial));
  }
  if (const auto smallest = SmallestOpenDuration(table)) {
    SetUnlessThere(arguments, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS,
                   ToMillis(std::max(*smallest, initial)));
  }
}

}  // namespace

absl::Status CheckChannelArguments(const grpc::ChannelArguments& arguments) {
  if (!Has(arguments, GRPC_ARG_SERVICE_CONFIG)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the channel arguments already hold a service config (",
                   GRPC_ARG_SERVICE_CONFIG,
                   "): put its parts into the file that retrykit loads"));
}

void AddChannelArguments(const ParsedConfig& config,
                         grpc::ChannelArguments& arguments) {
  if (config.core_json != "{}")
    arguments.SetServiceConfigJSON(config.core_json);
  SetUnlessThere(arguments, GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  SetReconnectBackoff(*config.table, arguments);
}

bool IsXdsTarget(absl::string_view target) {
  return absl::StartsWith(target, "xds:");
}

void DisableCoreRetries(grpc::ChannelArguments& arguments) {
  SetUnlessThere(arguments, GRPC_ARG_ENABLE_RETRIES, 0);
}

absl::Status ValidateCorePart(const ParsedConfig& config) {
  const std::string error =
      grpc::experimental::ValidateServiceConfigJSON(config.core_json);
  if (error.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "gRPC core refuses its part of the service config: ", error));
}

}  // namespace retrykit
