#include "interceptors/adapter/channel_arguments.h"

#include <grpc/grpc.h>
#include <grpcpp/support/channel_arguments.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/config/config.h"

namespace retrykit {
namespace {

ParsedConfig Parse(absl::string_view json) {
  auto config = ParseConfig(json);
  EXPECT_TRUE(config.ok()) << config.status();
  return *config;
}

const grpc_arg* Find(const grpc::ChannelArguments& arguments,
                     absl::string_view key) {
  const grpc_channel_args all = arguments.c_channel_args();
  for (size_t i = 0; i < all.num_args; ++i) {
    if (key == all.args[i].key) return &all.args[i];
  }
  return nullptr;
}

absl::optional<int> Number(const grpc::ChannelArguments& arguments,
                           absl::string_view key) {
  const grpc_arg* found = Find(arguments, key);
  if (found == nullptr || found->type != GRPC_ARG_INTEGER) return absl::nullopt;
  return found->value.integer;
}

// What a channel of that config is told, beside what the application says.
grpc::ChannelArguments Added(absl::string_view json,
                             grpc::ChannelArguments arguments = {}) {
  AddChannelArguments(Parse(json), arguments);
  return arguments;
}

std::string Retrying(const std::string& backoff) {
  return R"({"methodConfig": [{"name": [{}], "retryPolicy": {
      "maxAttempts": 3, "initialBackoff": ")" +
         backoff + R"(", "maxBackoff": "9s", "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]}}]})";
}

std::string Breaking(const std::string& open) {
  return R"({"methodConfig": [{"name": [{}], "retrykit": {
      "circuitBreaker": {"openDuration": ")" +
         open + R"("}}}]})";
}

TEST(ChannelArgumentsTest, ReconnectsNoSlowerThanTheFirstRetry) {
  const grpc::ChannelArguments arguments = Added(Retrying("0.25s"));
  EXPECT_EQ(Number(arguments, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS), 250);
  EXPECT_EQ(Number(arguments, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS),
            absl::nullopt);
}

TEST(ChannelArgumentsTest, ReconnectsAtMostEveryFiftyMilliseconds) {
  EXPECT_EQ(
      Number(Added(Retrying("0.050s")), GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS),
      50);
  EXPECT_EQ(
      Number(Added(Retrying("0.049s")), GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS),
      50);
  EXPECT_EQ(
      Number(Added(Retrying("0.0501s")), GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS),
      51);
}

TEST(ChannelArgumentsTest, D15_ProbesFindAChannelThatReconnects) {
  const grpc::ChannelArguments arguments = Added(Breaking("5s"));
  EXPECT_EQ(Number(arguments, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS), 5000);
  EXPECT_EQ(Number(arguments, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS),
            absl::nullopt);
}

TEST(ChannelArgumentsTest, TheMaximumIsNeverBelowTheInitial) {
  EXPECT_EQ(Number(Added(Breaking("0.2s")), GRPC_ARG_MAX_RECONNECT_BACKOFF_MS),
            1000);
}

TEST(ChannelArgumentsTest, AnAbsurdlyLongIntervalIsTheLargestNumber) {
  EXPECT_EQ(Number(Added(Breaking("315576000000s")),
                   GRPC_ARG_MAX_RECONNECT_BACKOFF_MS),
            2147483647);
}

// A short one cut connections off that took longer, on a busy machine.
TEST(ChannelArgumentsTest, ConnectingMayTakeAsLongAsCoreLetsIt) {
  EXPECT_EQ(Find(Added(Retrying("0.02s")), GRPC_ARG_MIN_RECONNECT_BACKOFF_MS),
            nullptr);
}

TEST(ChannelArgumentsTest, WithoutRetriesAndBreakersCoreKeepsItsReconnects) {
  const grpc::ChannelArguments arguments = Added("{}");
  EXPECT_EQ(Find(arguments, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS), nullptr);
  EXPECT_EQ(Find(arguments, GRPC_ARG_MIN_RECONNECT_BACKOFF_MS), nullptr);
  EXPECT_EQ(Find(arguments, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS), nullptr);
}

TEST(ChannelArgumentsTest, NoServiceConfigFromResolvers) {
  EXPECT_EQ(Number(Added("{}"), GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION), 1);
}

TEST(ChannelArgumentsTest, WhatTheApplicationSetStays) {
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 7);
  own.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 8);
  own.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 0);
  const grpc::ChannelArguments arguments = Added(Retrying("0.25s"), own);
  EXPECT_EQ(Number(arguments, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS), 7);
  EXPECT_EQ(Number(arguments, GRPC_ARG_MIN_RECONNECT_BACKOFF_MS), 8);
  EXPECT_EQ(Number(arguments, GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION), 0);
}

TEST(ChannelArgumentsTest, CoreGetsItsPartAndNoRetries) {
  const grpc::ChannelArguments arguments = Added(
      R"({"loadBalancingConfig": [{"round_robin": {}}],
          "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}})");
  const grpc_arg* json = Find(arguments, GRPC_ARG_SERVICE_CONFIG);
  ASSERT_NE(json, nullptr);
  EXPECT_THAT(json->value.string, testing::HasSubstr("round_robin"));
  EXPECT_THAT(json->value.string,
              testing::Not(testing::HasSubstr("retryThrottling")));
}

TEST(ChannelArgumentsTest, CoreGetsNothingWhereThereIsNothingForIt) {
  EXPECT_EQ(Find(Added(Retrying("0.1s")), GRPC_ARG_SERVICE_CONFIG), nullptr);
}

TEST(ChannelArgumentsTest, AServiceConfigOfTheApplicationIsRefused) {
  EXPECT_TRUE(CheckChannelArguments(grpc::ChannelArguments()).ok());
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON("{}");
  EXPECT_EQ(CheckChannelArguments(arguments),
            absl::InvalidArgumentError(
                "the channel arguments already hold a service config "
                "(grpc.service_config): put its parts into the file that "
                "retrykit loads"));
}

TEST(XdsTest, IsKnownByItsScheme) {
  EXPECT_TRUE(IsXdsTarget("xds:///payments"));
  EXPECT_TRUE(IsXdsTarget("xds:payments"));
  EXPECT_FALSE(IsXdsTarget("dns:///xds:1"));
  EXPECT_FALSE(IsXdsTarget("xdsname:80"));
}

TEST(XdsTest, CoreDoesNotRetryUnlessTheApplicationSaysSo) {
  grpc::ChannelArguments arguments;
  DisableCoreRetries(arguments);
  EXPECT_EQ(Number(arguments, GRPC_ARG_ENABLE_RETRIES), 0);
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_ENABLE_RETRIES, 1);
  DisableCoreRetries(own);
  EXPECT_EQ(Number(own, GRPC_ARG_ENABLE_RETRIES), 1);
}

TEST(ValidateCorePartTest, AcceptsWhatCoreKnows) {
  EXPECT_TRUE(ValidateCorePart(Parse("{}")).ok());
  EXPECT_TRUE(ValidateCorePart(
                  Parse(R"({"loadBalancingConfig": [{"round_robin": {}}]})"))
                  .ok());
}

TEST(ValidateCorePartTest, RefusesWhatCoreRefuses) {
  const absl::Status status = ValidateCorePart(
      Parse(R"({"loadBalancingConfig": [{"no_such_policy": {}}]})"));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              testing::StartsWith(
                  "gRPC core refuses its part of the service config: "));
}

}  // namespace
}  // namespace retrykit
