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

const grpc_arg* Find(const grpc::ChannelArguments& arguments,
                     absl::string_view key) {
  const grpc_channel_args all = arguments.c_channel_args();
  const grpc_arg* begin = all.args;
  const grpc_arg* end = begin + all.num_args;
  const grpc_arg* found = std::find_if(
      begin, end, [key](const grpc_arg& arg) { return key == arg.key; });
  return found == end ? nullptr : found;
}

bool Has(const grpc::ChannelArguments& arguments, absl::string_view key) {
  return Find(arguments, key) != nullptr;
}

absl::optional<int> FindInt(const grpc::ChannelArguments& arguments,
                            absl::string_view key) {
  const grpc_arg* found = Find(arguments, key);
  if (found == nullptr || found->type != GRPC_ARG_INTEGER) return absl::nullopt;
  return found->value.integer;
}

absl::optional<absl::Duration> FindMillis(
    const grpc::ChannelArguments& arguments, absl::string_view key) {
  const absl::optional<int> millis = FindInt(arguments, key);
  if (!millis) return absl::nullopt;
  return absl::Milliseconds(*millis);
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
  absl::Duration initial =
      FindMillis(arguments, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS)
          .value_or(kCoreInitialReconnect);
  const auto smallest_backoff = SmallestInitialBackoff(table);
  if (smallest_backoff &&
      !Has(arguments, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS)) {
    initial = std::min(std::max(*smallest_backoff, kShortestReconnect),
                       FindMillis(arguments, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS)
                           .value_or(absl::InfiniteDuration()));
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

bool DisableCoreRetries(grpc::ChannelArguments& arguments) {
  SetUnlessThere(arguments, GRPC_ARG_ENABLE_RETRIES, 0);
  return FindInt(arguments, GRPC_ARG_ENABLE_RETRIES).value_or(1) == 0;
}

absl::Status ValidateCorePart(const ParsedConfig& config) {
  const std::string error =
      grpc::experimental::ValidateServiceConfigJSON(config.core_json);
  if (error.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "gRPC core refuses its part of the service config: ", error));
}

}  // namespace retrykit
