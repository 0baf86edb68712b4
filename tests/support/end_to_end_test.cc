#include "tests/support/end_to_end_test.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/real_time.h"
#include "tests/support/toolkit_peer.h"

namespace retrykit {

namespace {

// A channel that shares no connection with others of the process.
std::shared_ptr<grpc::Channel> PlainChannelTo(
    const std::string& target,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(target, credentials, arguments);
}

}  // namespace

void EndToEndTest::UseServer(const ScriptedServer::Options& options) {
  server_ = std::make_unique<ScriptedServer>(options);
}

void EndToEndTest::Use(const TestPolicy& policy, Options options,
                       ChannelSetup setup) {
  if (setup.credentials == nullptr) {
    setup.credentials = grpc::InsecureChannelCredentials();
  }
  options.observers.push_back(observer_);
  const auto config = ServiceConfig::FromJson(policy.Json());
  ASSERT_TRUE(config.ok()) << config.status() << " in " << policy.Json();
  auto toolkit = Toolkit::Create(*config, std::move(options));
  ASSERT_TRUE(toolkit.ok()) << toolkit.status();
  toolkit_ = *std::move(toolkit);
  auto channel = toolkit_->CreateChannel(server_->address(), setup.credentials,
                                         grpc::ChannelArguments(),
                                         std::move(setup.interceptors));
  ASSERT_TRUE(channel.ok()) << channel.status();
  channel_ = *std::move(channel);
  plain_channel_ = PlainChannelTo(server_->address(), setup.credentials);
  tokens_checked_ = Tokens();
}

void EndToEndTest::TearDown() {
  if (toolkit_ != nullptr) {
    EXPECT_TRUE(Eventually(
        [this] { return ToolkitPeer::LiveTimers(*toolkit_) == 0; }, kTooLate))
        << ToolkitPeer::LiveTimers(*toolkit_) << " timers are live";
  }
  for (const auto& [id, count] : expected_attempts_) {
    EXPECT_EQ(server_->log().Attempts(id).size(), static_cast<size_t>(count))
        << "attempts of " << id << " at the end";
  }
}

void EndToEndTest::DropToolkit() {
  channel_.reset();
  toolkit_.reset();
}

std::unique_ptr<EchoCall> EndToEndTest::NewCall(CallStyle style,
                                                const std::string& id) {
  auto call = std::make_unique<EchoCall>(style, channel_, RequestFor(id));
  call->context().AddMetadata(kCallIdHeader, id);
  return call;
}

EchoResult EndToEndTest::Call(
    CallStyle style, const std::string& id,
    const std::function<void(grpc::ClientContext&)>& prepare) {
  const std::unique_ptr<EchoCall> call = NewCall(style, id);
  if (prepare) prepare(call->context());
  call->Start();
  return call->Wait();
}

EchoResult EndToEndTest::PlainCall(
    CallStyle style, const std::string& id,
    const std::function<void(grpc::ClientContext&)>& prepare) {
  return CallEcho(style, plain_channel_, RequestFor(id),
                  [&](grpc::ClientContext& context) {
                    context.AddMetadata(kCallIdHeader, id);
                    if (prepare) prepare(context);
                  });
}

void EndToEndTest::Expect(const EchoResult& result, const Outcome& outcome,
                          const std::string& id) {
  EXPECT_EQ(result.status.error_code(), outcome.code);
  EXPECT_THAT(result.status.error_message(), outcome.text);
  EXPECT_EQ(Headers(id), outcome.headers);
  const RecordedEvent ended = observer_->Ended(++ends_checked_);
  EXPECT_EQ(ReasonText(ended.reason), ReasonText(outcome.reason));
  EXPECT_EQ(ended.attempt, static_cast<int>(outcome.headers.size()));
  EXPECT_EQ(ended.code, static_cast<absl::StatusCode>(outcome.code));
  const double tokens = Tokens();
  EXPECT_DOUBLE_EQ(tokens - tokens_checked_, outcome.tokens);
  tokens_checked_ = tokens;
  ExpectAttempts(id, static_cast<int>(outcome.headers.size()));
}

void EndToEndTest::ExpectAttempts(const std::string& id, int count) {
  expected_attempts_[id] = count;
}

std::vector<std::string> EndToEndTest::Headers(const std::string& id) {
  std::vector<std::string> headers;
  for (const SeenAttempt& seen : server_->log().Attempts(id)) {
    headers.push_back(seen.previous_attempts());
  }
  return headers;
}

double EndToEndTest::Tokens() {
  const int64_t milli_tokens =
      ToolkitPeer::MilliTokens(*toolkit_, server_->address());
  return static_cast<double>(milli_tokens) / 1000;
}

std::string Why(Reason reason, int attempts) {
  return absl::StrCat(" [retrykit: ", ReasonText(reason), " after ", attempts,
                      " attempts]");
}

std::function<void(grpc::ClientContext&)> WithDeadline(
    absl::Duration from_now) {
  return [from_now](grpc::ClientContext& context) {
    context.set_deadline(DeadlineIn(from_now));
  };
}

void ExpectSame(const EchoResult& ours, const EchoResult& plain) {
  EXPECT_EQ(ours.status.error_code(), plain.status.error_code());
  EXPECT_EQ(ours.status.error_message(), plain.status.error_message());
  EXPECT_EQ(ours.status.error_details(), plain.status.error_details());
  EXPECT_EQ(ours.response.SerializeAsString(),
            plain.response.SerializeAsString());
  EXPECT_EQ(ours.initial_metadata, plain.initial_metadata);
  EXPECT_EQ(ours.trailing_metadata, plain.trailing_metadata);
  EXPECT_EQ(ours.queue_ok, plain.queue_ok);
  EXPECT_EQ(ours.headers_ok, plain.headers_ok);
}

}  // namespace retrykit
