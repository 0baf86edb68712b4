// The server and the call styles against each other, on a plain channel: what
// the rows of the conformance list rely on.
#include "tests/support/scripted_server.h"

#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/retrykit/v1/status_details.pb.h"
#include "tests/support/echo_call.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;

std::shared_ptr<grpc::Channel> PlainChannel(const std::string& target) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(),
                                   arguments);
}

class ScriptedServerTest : public ::testing::TestWithParam<CallStyle> {
 protected:
  EchoResult Call(const std::string& id, absl::Duration deadline = kPatience) {
    return CallEcho(GetParam(), channel_, RequestFor(id),
                    [&](grpc::ClientContext& context) {
                      context.set_deadline(DeadlineIn(deadline));
                    });
  }

  ScriptedServer server_;
  const std::shared_ptr<grpc::Channel> channel_ =
      PlainChannel(server_.address());
};

TEST_P(ScriptedServerTest, WithoutAScriptItEchoes) {
  const EchoResult result = Call("call");
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.response.message(), "hello");
  EXPECT_EQ(result.response.attempt(), 1);
  EXPECT_EQ(result.completions, 1);
  EXPECT_TRUE(result.queue_ok);
}

TEST_P(ScriptedServerTest, PlaysTheScriptByCallAndAttempt) {
  server_.Script("a", {AttemptScript::Fail(StatusCode::ABORTED, "first"),
                       AttemptScript::Ok("second")});
  server_.Script("b", {AttemptScript::Fail(StatusCode::NOT_FOUND)});
  EXPECT_EQ(Call("a").status.error_message(), "first");
  EXPECT_EQ(Call("b").status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(Call("a").response.message(), "second");
  EXPECT_EQ(Call("a").response.attempt(), 3);
  EXPECT_EQ(server_.log().Attempts("a").size(), 3u);
  EXPECT_EQ(server_.log().total(), 4);
}

TEST_P(ScriptedServerTest, TheHeaderNamesTheCallBeforeTheRequestDoes) {
  server_.Script("header", {AttemptScript::Fail(StatusCode::ABORTED)});
  const EchoResult result = CallEcho(
      GetParam(), channel_, RequestFor("request"),
      [](grpc::ClientContext& c) { c.AddMetadata(kCallIdHeader, "header"); });
  EXPECT_EQ(result.status.error_code(), StatusCode::ABORTED);
}

TEST_P(ScriptedServerTest, RecordsWhatTheClientSent) {
  const EchoResult result = CallEcho(
      GetParam(), channel_, RequestFor("call"), [](grpc::ClientContext& c) {
        c.AddMetadata("key", "1");
        c.AddMetadata("key", "2");
        c.AddMetadata("key-bin", std::string("\0\xff", 2));
        c.set_authority("other.example");
        c.set_deadline(DeadlineIn(absl::Seconds(20)));
      });
  EXPECT_TRUE(result.status.ok());
  const SeenAttempt seen = server_.log().Attempts("call").at(0);
  EXPECT_EQ(seen.method, "/retrykit.testing.Echo/Unary");
  EXPECT_EQ(seen.authority, "other.example");
  EXPECT_THAT(ValuesOf(seen.metadata, "key"), ElementsAre("1", "2"));
  EXPECT_EQ(ValueOf(seen.metadata, "key-bin"), std::string("\0\xff", 2));
  EXPECT_EQ(seen.previous_attempts(), "-");
  EXPECT_LE(seen.time_left, absl::Seconds(20.2));  // Rounded up on the wire.
  EXPECT_GT(seen.time_left, absl::ZeroDuration());
  EXPECT_THAT(seen.requests,
              ElementsAre(RequestFor("call").SerializeAsString()));
}

TEST_P(ScriptedServerTest, NoDeadlineIsInfinite) {
  EXPECT_TRUE(CallEcho(GetParam(), channel_, RequestFor("call")).status.ok());
  EXPECT_EQ(server_.log().Attempts("call").at(0).time_left,
            absl::InfiniteDuration());
}

TEST_P(ScriptedServerTest, SendsMetadataAndDetails) {
  server_.Script("call", {AttemptScript::Fail(StatusCode::ABORTED, "no")
                              .WithHeadersFirst()
                              .WithInitialMetadata("initial", "i")
                              .WithTrailingMetadata("trailing", "t")
                              .WithPushback("-1")
                              .WithRetryInfo(absl::Milliseconds(1500))});
  const EchoResult result = Call("call");
  EXPECT_EQ(result.status.error_code(), StatusCode::ABORTED);
  EXPECT_EQ(ValueOf(result.initial_metadata, "initial"), "i");
  EXPECT_EQ(ValueOf(result.trailing_metadata, "trailing"), "t");
  EXPECT_EQ(ValueOf(result.trailing_metadata, "grpc-retry-pushback-ms"), "-1");
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(result.status.error_details()));
  v1::RetryInfo info;
  ASSERT_EQ(details.details_size(), 1);
  ASSERT_TRUE(info.ParseFromString(details.details(0).value()));
  EXPECT_EQ(info.retry_delay().seconds(), 1);
  EXPECT_EQ(info.retry_delay().nanos(), 500'000'000);
}

TEST_P(ScriptedServerTest, SilenceEndsByTheDeadline) {
  server_.Script("call", {AttemptScript::Silent()});
  const EchoResult result = Call("call", absl::Milliseconds(200));
  EXPECT_EQ(result.status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_GE(result.duration, absl::Milliseconds(190));
  EXPECT_TRUE(server_.log().WaitForCancelled("call", 1));
}

TEST_P(ScriptedServerTest, SilenceEndsByCancellation) {
  server_.Script("call", {AttemptScript::Silent()});
  EchoCall call(GetParam(), channel_, RequestFor("call"));
  call.Start();
  ASSERT_TRUE(server_.log().WaitForAttempts("call", 1));
  call.Cancel();
  EXPECT_EQ(call.Wait().status.error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(server_.log().WaitForCancelled("call", 1));
}

TEST_P(ScriptedServerTest, WaitsForTheGate) {
  server_.Script("call", {AttemptScript::Ok("through").AfterGate("go")});
  EchoCall call(GetParam(), channel_, RequestFor("call"));
  call.Start();
  ASSERT_TRUE(server_.log().WaitForAttempts("call", 1));
  EXPECT_FALSE(call.WaitForEnd(absl::Milliseconds(50)));
  server_.OpenGate("go");
  EXPECT_EQ(call.Wait().response.message(), "through");
  EXPECT_TRUE(server_.log().WaitForEnd("call", 1));
  EXPECT_FALSE(server_.log().WaitForCancelled("call", 1));
  EXPECT_EQ(Call("call").response.message(), "through");
}

TEST_P(ScriptedServerTest, Delays) {
  server_.Script("call",
                 {AttemptScript::Ok().AfterDelay(absl::Milliseconds(100))});
  EXPECT_GE(Call("call").duration, absl::Milliseconds(100));
}

// What the APIs make of such an end differs between them and between versions;
// here only: it ends.
TEST_P(ScriptedServerTest, AnswersNoCorrectServerGives) {
  server_.Script("none", {AttemptScript::OkWithoutMessage()});
  server_.Script("garbage", {AttemptScript::OkWithBytes("\xff\xff\xff")});
  EXPECT_EQ(Call("none").response.message(), "");
  EXPECT_EQ(Call("garbage").response.message(), "");
  EXPECT_EQ(server_.log().total(), 2);
}

TEST_P(ScriptedServerTest, ARefusingPortUntilStarted) {
  ScriptedServer::Options options;
  options.start = false;
  ScriptedServer server(options);
  auto channel = PlainChannel(server.address());
  EXPECT_EQ(
      CallEcho(GetParam(), channel, RequestFor("call")).status.error_code(),
      StatusCode::UNAVAILABLE);
  server.Start();
  channel = PlainChannel(server.address());
  EXPECT_TRUE(CallEcho(GetParam(), channel, RequestFor("call")).status.ok());
}

TEST_P(ScriptedServerTest, KilledInACallAndStartedAgain) {
  server_.Script("call", {AttemptScript::Silent()});
  EchoCall call(GetParam(), channel_, RequestFor("call"));
  call.Start();
  ASSERT_TRUE(server_.log().WaitForAttempts("call", 1));
  server_.Kill();
  EXPECT_EQ(call.Wait().status.error_code(), StatusCode::UNAVAILABLE);
  server_.Start();
  EXPECT_TRUE(
      CallEcho(GetParam(), PlainChannel(server_.address()), RequestFor("other"))
          .status.ok());
}

TEST_P(ScriptedServerTest, CompressedRequestsAsTheyCame) {
  ScriptedServer::Options options;
  options.keep_compressed = true;
  ScriptedServer server(options);
  CallEcho(GetParam(), PlainChannel(server.address()),
           RequestFor("call", std::string(1000, 'a')),
           [](grpc::ClientContext& c) {
             c.AddMetadata(kCallIdHeader, "call");
             c.set_compression_algorithm(GRPC_COMPRESS_GZIP);
           });
  const std::string request =
      server.log().Attempts("call").at(0).requests.at(0);
  EXPECT_EQ(request.substr(0, 2), "\x1f\x8b");  // gzip's own first bytes.
}

INSTANTIATE_TEST_SUITE_P(, ScriptedServerTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
