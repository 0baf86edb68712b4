// Along a call chain: what a server's own calls take over from the call that
// it serves, and one layer that retries.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "tests/support/end_to_end_test.h"
#include "tests/support/handler_server.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

AttemptScript Aborted() {
  return AttemptScript::Fail(StatusCode::ABORTED, "no");
}

enum class ServerApi : unsigned char { kSync, kCallback, kQueue };

// A server in the middle, through any of the three server APIs.
class MiddleServer {
 public:
  using Handler = std::function<grpc::Status(grpc::ServerContextBase&)>;

  MiddleServer(ServerApi api, const Handler& handler) {
    const auto served = [handler](grpc::ServerContextBase& context, const auto&,
                                  auto&) { return handler(context); };
    if (api == ServerApi::kSync) {
      sync_ = std::make_unique<SyncHandlerServer>(served);
    } else if (api == ServerApi::kCallback) {
      callback_ = std::make_unique<CallbackHandlerServer>(served);
    } else {
      queue_ = std::make_unique<QueueHandlerServer>(served);
    }
  }

  std::string address() const {
    if (sync_ != nullptr) return sync_->address();
    return callback_ != nullptr ? callback_->address() : queue_->address();
  }

 private:
  std::unique_ptr<SyncHandlerServer> sync_;
  std::unique_ptr<CallbackHandlerServer> callback_;
  std::unique_ptr<QueueHandlerServer> queue_;
};

using Prepare = std::function<void(grpc::ClientContext&)>;

// The middle calls the scripted server and continues from its own caller.
class CallChainTest
    : public EndToEndTest,
      public ::testing::WithParamInterface<std::tuple<ServerApi, CallStyle>> {
 protected:
  // What the middle's own call ended with. Waited for.
  EchoResult Inner() {
    MutexLock lock(mu_);
    const Instant until = MonotonicClock().Now() + kPatience;
    while (inner_.completions == 0 && MonotonicClock().Now() < until) {
      changed_.WaitUntil(mu_, until);
    }
    EXPECT_EQ(inner_.completions, 1) << "the inner call has not ended";
    return inner_;
  }

  // The inbound call, on a plain channel.
  std::unique_ptr<EchoCall> NewInboundCall() {
    auto call = std::make_unique<EchoCall>(
        CallStyle::kReactor,
        grpc::CreateChannel(middle_.address(),
                            grpc::InsecureChannelCredentials()),
        RequestFor("inbound"));
    call->context().set_deadline(DeadlineIn(kPatience));
    return call;
  }

  Prepare prepare_inner;  // Before ContinueFrom.
  bool stop_upstream = false;
  bool on_another_thread = false;

 private:
  grpc::Status Handle(grpc::ServerContextBase& inbound) {
    auto context = std::make_unique<grpc::ClientContext>();
    context->AddMetadata(kCallIdHeader, kCall);
    if (prepare_inner) prepare_inner(*context);
    if (on_another_thread) {
      std::thread([&] { ContinueFrom(inbound, context.get()); }).join();
    } else {
      ContinueFrom(inbound, context.get());
    }
    EchoCall call(std::get<1>(GetParam()), channel(), RequestFor(kCall),
                  std::move(context));
    call.Start();
    const EchoResult result = call.Wait();
    if (stop_upstream) StopUpstreamRetries(&inbound);
    MutexLock lock(mu_);
    inner_ = result;
    changed_.NotifyAll();
    return result.status;
  }

  Mutex mu_;
  CondVar changed_;
  EchoResult inner_ ABSL_GUARDED_BY(mu_);
  MiddleServer middle_{
      std::get<0>(GetParam()),
      [this](grpc::ServerContextBase& inbound) { return Handle(inbound); }};
};

TEST_P(CallChainTest, TheInboundDeadlineGoesOn) {
  Use(TestPolicy());
  auto inbound = NewInboundCall();
  inbound->context().set_deadline(DeadlineIn(absl::Seconds(20)));
  inbound->Start();
  EXPECT_TRUE(inbound->Wait().status.ok());
  const auto seen = server().log().Attempts(kCall);
  EXPECT_LE(seen.at(0).time_left, absl::Seconds(21));
  EXPECT_GT(seen.at(0).time_left, absl::Seconds(10));
  ExpectAttempts(kCall, 1);
}

TEST_P(CallChainTest, AnEarlierDeadlineOfItsOwnStays) {
  Use(TestPolicy());
  prepare_inner = WithDeadline(absl::Seconds(5));
  auto inbound = NewInboundCall();
  inbound->Start();
  EXPECT_TRUE(inbound->Wait().status.ok());
  EXPECT_LE(server().log().Attempts(kCall).at(0).time_left, absl::Seconds(6));
  ExpectAttempts(kCall, 1);
}

TEST_P(CallChainTest, A32_ABackoffNeverWaitsPastTheInboundDeadline) {
  TestPolicy policy;
  policy.SetBackoff("60s");
  Use(policy);
  server().Script(kCall, {Aborted()});
  auto inbound = NewInboundCall();
  inbound->context().set_deadline(DeadlineIn(absl::Seconds(20)));
  inbound->Start();
  const EchoResult inner = Inner();
  Expect(inner, {StatusCode::ABORTED,
                 "no" + Why(Reason::kDeadline, 1),
                 {"-"},
                 Reason::kDeadline,
                 -1});
  EXPECT_LT(inner.duration, absl::Seconds(20));
}

TEST_P(CallChainTest, A32_TheInboundCancellationEndsAnAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Silent()});
  auto inbound = NewInboundCall();
  inbound->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kCall, 1));
  inbound->Cancel();
  EXPECT_EQ(Inner().status.error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  ExpectAttempts(kCall, 1);
}

TEST_P(CallChainTest, OnBehalfOfAFirstAttemptItIsRetried) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  auto inbound = NewInboundCall();
  inbound->Start();
  EXPECT_TRUE(inbound->Wait().status.ok());
  Expect(Inner(), {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
}

TEST_P(CallChainTest, OnBehalfOfARetryItIsNotRetried) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  auto inbound = NewInboundCall();
  inbound->context().AddMetadata("x-retrykit-previous-attempts", "2");
  inbound->Start();
  EXPECT_FALSE(inbound->Wait().status.ok());
  Expect(Inner(), {StatusCode::ABORTED,
                   "no" + Why(Reason::kNested, 1),
                   {"2"},
                   Reason::kNested,
                   -1});
}

TEST_P(CallChainTest, AllowRetriesOnBehalfOfARetryToo) {
  TestPolicy policy;
  policy.more = R"("nestedRetries":"ALLOW")";
  Use(policy);
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  auto inbound = NewInboundCall();
  inbound->context().AddMetadata("x-retrykit-previous-attempts", "2");
  inbound->Start();
  EXPECT_TRUE(inbound->Wait().status.ok());
  Expect(Inner(), {StatusCode::OK, "", {"2", "3"}, Reason::kSuccess, 0});
}

TEST_P(CallChainTest, NonsenseInTheHeaderIsAFirstAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  auto inbound = NewInboundCall();
  inbound->context().AddMetadata("x-retrykit-previous-attempts", "-7x");
  inbound->Start();
  EXPECT_TRUE(inbound->Wait().status.ok());
  Expect(Inner(), {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
}

TEST_P(CallChainTest, AHugeNumberInTheHeaderOverflowsNothing) {
  TestPolicy policy;
  policy.more = R"("nestedRetries":"ALLOW")";
  Use(policy);
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  auto inbound = NewInboundCall();
  inbound->context().AddMetadata("x-retrykit-previous-attempts", "2147483647");
  inbound->Start();
  EXPECT_TRUE(inbound->Wait().status.ok());
  Expect(Inner(),
         {StatusCode::OK, "", {"1000000", "1000001"}, Reason::kSuccess, 0});
}

TEST_P(CallChainTest, AMethodWithoutPolicyPassesTheNumberOn) {
  TestPolicy policy;
  policy.name = R"([{"service":"other.Service"}])";
  Use(policy);
  auto inbound = NewInboundCall();
  inbound->context().AddMetadata("x-retrykit-previous-attempts", "2");
  inbound->Start();
  EXPECT_TRUE(inbound->Wait().status.ok());
  EXPECT_THAT(Headers(), ElementsAre("2"));
  ExpectAttempts(kCall, 1);
}

TEST_P(CallChainTest, WorksAcrossThreads) {
  on_another_thread = true;
  Use(TestPolicy());
  server().Script(kCall, {Aborted()});
  auto inbound = NewInboundCall();
  inbound->context().AddMetadata("x-retrykit-previous-attempts", "1");
  inbound->Start();
  Expect(Inner(), {StatusCode::ABORTED,
                   "no" + Why(Reason::kNested, 1),
                   {"1"},
                   Reason::kNested,
                   -1});
}

TEST_P(CallChainTest, StopUpstreamRetriesIsPushbackForTheLayerAbove) {
  stop_upstream = true;
  Use(TestPolicy());
  server().Script(kCall, {Aborted()});
  auto inbound = NewInboundCall();
  inbound->Start();
  const EchoResult result = inbound->Wait();
  EXPECT_EQ(result.status.error_code(), StatusCode::ABORTED);
  EXPECT_THAT(result.status.error_message(),
              EndsWith(Why(Reason::kMaxAttempts, 3)));
  const auto pushback = result.trailing_metadata.find("grpc-retry-pushback-ms");
  ASSERT_NE(pushback, result.trailing_metadata.end());
  EXPECT_EQ(pushback->second, "-1");
  ExpectAttempts(kCall, 3);
}

std::string NameOf(
    const ::testing::TestParamInfo<std::tuple<ServerApi, CallStyle>>& info) {
  constexpr const char* kServers[] = {"SyncServer", "CallbackServer",
                                      "QueueServer"};
  return absl::StrCat(kServers[static_cast<size_t>(std::get<0>(info.param))],
                      CallStyleName(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(
    , CallChainTest,
    ::testing::Combine(::testing::Values(ServerApi::kSync, ServerApi::kCallback,
                                         ServerApi::kQueue),
                       ::testing::ValuesIn(kAllCallStyles)),
    NameOf);

// F02: three layers, each of which tries three times, above a service that
// never works.
class ThreeLayersTest : public EndToEndTest {
 protected:
  // How many attempts reach the service.
  size_t AttemptsOf(const std::string& nested, bool stop) {
    TestPolicy policy;
    policy.SetBackoff("0.001s");
    policy.more = absl::StrCat(R"("nestedRetries":")", nested, R"(")");
    Use(policy);
    server().Script(kCall, {Aborted()});
    auto toolkit =
        Toolkit::Create(ServiceConfig::FromJson(policy.Json()).value()).value();
    const auto to = [&](const std::string& address) {
      return toolkit->CreateChannel(address, grpc::InsecureChannelCredentials())
          .value();
    };
    const auto forwarding = [stop](std::shared_ptr<grpc::Channel> next) {
      return [next, stop](grpc::ServerContext& inbound, const auto&, auto&) {
        const EchoResult result = CallEcho(
            CallStyle::kSync, next, RequestFor(kCall), [&](auto& context) {
              context.AddMetadata(kCallIdHeader, kCall);
              ContinueFrom(inbound, &context);
            });
        if (stop) StopUpstreamRetries(&inbound);
        return result.status;
      };
    };
    SyncHandlerServer second(forwarding(to(server().address())));
    SyncHandlerServer first(forwarding(to(second.address())));
    const EchoResult result =
        CallEcho(CallStyle::kSync, to(first.address()), RequestFor(kCall));
    EXPECT_EQ(result.status.error_code(), StatusCode::ABORTED);
    // Said once, however many layers have annotated.
    const std::string& text = result.status.error_message();
    EXPECT_EQ(text.find("[retrykit"), text.rfind("[retrykit")) << text;
    const size_t attempts = server().log().Attempts(kCall).size();
    ExpectAttempts(kCall, static_cast<int>(attempts));
    return attempts;
  }
};

TEST_F(ThreeLayersTest, F02_WithoutSuppressionTheyMultiply) {
  EXPECT_EQ(AttemptsOf("ALLOW", false), 27u);
}

TEST_F(ThreeLayersTest, F02_SuppressLetsOneLayerRetryARetry) {
  EXPECT_LE(AttemptsOf("SUPPRESS", false), 7u);
}

TEST_F(ThreeLayersTest, F02_StoppingUpstreamLeavesOneLayer) {
  EXPECT_LE(AttemptsOf("SUPPRESS", true), 3u);
}

}  // namespace
}  // namespace retrykit
