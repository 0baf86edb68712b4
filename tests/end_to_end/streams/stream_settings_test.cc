// What surrounds a stream: connections, contexts, inbound calls, interceptors,
// threads. What the rows say is that of unary calls; see tests/end_to_end.
#include <gmock/gmock.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/core/mutex.h"
#include "tests/end_to_end/streams/stream_fixture.h"
#include "tests/support/handler_server.h"
#include "tests/support/interceptors.h"
#include "tests/support/metadata.h"
#include "tests/support/real_time.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::ValuesIn;

AttemptScript Aborted() {
  return AttemptScript::Fail(StatusCode::ABORTED, "no");
}

class StreamSettingsTest : public StreamEndToEndTest {
 protected:
  std::vector<SeenAttempt> Seen(const std::string& id = kCall) {
    return server().log().Attempts(id);
  }
  void UseServerThatIsDown() {
    ScriptedServer::Options options;
    options.start = false;
    UseServer(options);
  }
  // Attempts at 0, 50, 150, 350 and 750 ms.
  static TestPolicy FiveAttempts() {
    TestPolicy policy;
    policy.max_attempts = 5;
    policy.retryable_codes = R"(["UNAVAILABLE"])";
    policy.initial_backoff = "0.05s";
    policy.max_backoff = "1s";
    return policy;
  }
  void ScriptOneRetry() {
    server().Script(kCall, {Aborted(), AttemptScript::Ok("done")});
  }
  void ExpectOneRetry(const EchoResult& result) {
    EXPECT_EQ(result.response.message(), "done");
    Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  }
};

TEST_P(StreamSettingsTest, A19_ApplicationMetadataOnEveryAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), Aborted(), AttemptScript::Ok()});
  Expect(Run(kCall,
             [](grpc::ClientContext& context) {
               context.AddMetadata("text", "one");
               context.AddMetadata("text", "two");
               context.AddMetadata("bytes-bin", std::string("\0\x01\xff", 3));
             }),
         {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, -1});
  for (const SeenAttempt& seen : Seen()) {
    EXPECT_THAT(ValuesOf(seen.metadata, "text"), ElementsAre("one", "two"));
    EXPECT_THAT(ValuesOf(seen.metadata, "bytes-bin"),
                ElementsAre(std::string("\0\x01\xff", 3)));
  }
}

TEST_P(StreamSettingsTest, A25_RefusedThenUp) {
  UseServerThatIsDown();
  Use(FiveAttempts());
  EchoResult result;
  std::thread caller([&] { result = Run(); });
  EXPECT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  LetPass(absl::Milliseconds(100));
  server().Start();
  caller.join();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  ExpectAttempts(kCall, 1);
}

TEST_P(StreamSettingsTest, A26_KilledDuringTheCall) {
  Use(FiveAttempts());
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Ok("done")});
  EchoResult result;
  std::thread caller([&] { result = Run(); });
  EXPECT_TRUE(server().log().WaitForAttempts(kCall, 1));
  server().Kill();
  LetPass(absl::Milliseconds(100));
  server().Start();
  caller.join();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.response.message(), "done");
  ExpectAttempts(kCall, 2);
}

TEST_P(StreamSettingsTest, A27_WaitForReady) {
  for (const bool by_config : {true, false}) {
    UseServerThatIsDown();
    TestPolicy policy = FiveAttempts();
    if (by_config) policy.wait_for_ready = "true";
    Use(policy);
    const int before = observer().Count(CallEvent::Type::kAttemptStarted);
    EchoResult result;
    std::thread caller([&] {
      result = Run(kCall, [&](grpc::ClientContext& context) {
        if (!by_config) context.set_wait_for_ready(true);
      });
    });
    LetPass(absl::Seconds(1));
    server().Start();
    caller.join();
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_EQ(observer().Count(CallEvent::Type::kAttemptStarted), before + 1);
  }
}

TEST_P(StreamSettingsTest, A27_TheContextsExplicitWordWins) {
  UseServerThatIsDown();
  TestPolicy policy = FiveAttempts();
  policy.max_attempts = 3;
  policy.wait_for_ready = "true";
  Use(policy);
  const EchoResult result = Run(kCall, [](grpc::ClientContext& context) {
    context.set_wait_for_ready(false);
  });
  EXPECT_EQ(result.status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(observer().Count(CallEvent::Type::kAttemptStarted), 3);
}

TEST_P(StreamSettingsTest, A32_InboundCallIsCancelled) {
  for (const bool in_backoff : {false, true}) {
    TestPolicy policy;
    if (in_backoff) policy.SetBackoff("0.5s");
    Use(policy);
    const std::string id = in_backoff ? "backoff" : "attempt";
    server().Script(id, {Aborted(), AttemptScript::Silent()});
    std::atomic<int> code{-1};
    SyncHandlerServer middle(
        [&](grpc::ServerContext& context, const auto&, auto&) {
          const auto stream = NewStream(id);
          stream->UseContext(grpc::ClientContext::FromServerContext(context));
          code = Run(*stream).status.error_code();
          return grpc::Status();
        });
    EchoCall inbound(CallStyle::kCallback,
                     grpc::CreateChannel(middle.address(),
                                         grpc::InsecureChannelCredentials()),
                     RequestFor("inbound"));
    const int scheduled = observer().Count(CallEvent::Type::kRetryScheduled);
    inbound.Start();
    ASSERT_TRUE(in_backoff
                    ? observer().WaitFor(CallEvent::Type::kRetryScheduled,
                                         scheduled + 1)
                    : server().log().WaitForAttempts(id, 2));
    inbound.Cancel();
    EXPECT_TRUE(Eventually([&] { return code >= 0; },
                           absl::Milliseconds(500) + kTooLate));
    EXPECT_EQ(code, StatusCode::CANCELLED);
    ExpectAttempts(id, in_backoff ? 1 : 2);
  }
}

// The end of the inbound call reaches an attempt as its deadline or as a
// cancellation, whichever is first; on a plain channel too.
TEST_P(StreamSettingsTest, A32_InboundDeadlinePasses) {
  for (const bool in_backoff : {false, true}) {
    TestPolicy policy;
    if (in_backoff) policy.SetBackoff("2s");
    Use(policy);
    const std::string id = in_backoff ? "backoff" : "attempt";
    server().Script(id, {Aborted(), AttemptScript::Silent()});
    std::atomic<int> code{-1};
    SyncHandlerServer middle(
        [&](grpc::ServerContext& context, const auto&, auto&) {
          const auto stream = NewStream(id);
          stream->UseContext(grpc::ClientContext::FromServerContext(context));
          code = Run(*stream).status.error_code();
          return grpc::Status();
        });
    EchoCall inbound(CallStyle::kCallback,
                     grpc::CreateChannel(middle.address(),
                                         grpc::InsecureChannelCredentials()),
                     RequestFor("inbound"));
    inbound.context().set_deadline(DeadlineIn(absl::Seconds(1)));
    inbound.Start();
    EXPECT_TRUE(
        Eventually([&] { return code >= 0; }, absl::Seconds(2) + kTooLate));
    EXPECT_THAT(code.load(),
                AnyOf(StatusCode::DEADLINE_EXCEEDED, StatusCode::CANCELLED));
    ExpectAttempts(id, in_backoff ? 1 : 2);
  }
}

// A stream that is dropped takes its queue's thread and the queue with it.
TEST_P(StreamSettingsTest, A33_QueueIsDrainedDuringBackoff) {
  if (api() != StreamApi::kCq) return;
  TestPolicy policy;
  policy.SetBackoff("60s");
  Use(policy);
  server().Script(kCall, {Aborted()});
  auto stream = NewStream();
  stream->context().set_deadline(DeadlineIn(2 * kPatience * 60));
  stream->Start();
  stream->WriteLast("hello");
  std::thread finisher([&] {
    EXPECT_EQ(stream->Finish().status.error_code(), StatusCode::CANCELLED);
  });
  ASSERT_TRUE(observer().WaitFor(CallEvent::Type::kRetryScheduled));
  stream->Cancel();
  finisher.join();
  stream.reset();  // Shuts the queue down and waits until it is empty.
  ExpectAttempts(kCall, 1);
}

TEST_P(StreamSettingsTest, A34_ChannelAndToolkitGoRightAfterTheEnd) {
  TestPolicy policy;
  policy.SetBackoff("0.001s");
  policy.per_attempt_timeout = "0.05s";
  server().Script("retried", {Aborted()});
  server().Script("silent", {AttemptScript::Silent()});
  for (int round = 0; round < 20; ++round) {
    auto own = *Toolkit::Create(*ServiceConfig::FromJson(policy.Json()));
    auto own_channel = *own->CreateChannel(server().address(),
                                           grpc::InsecureChannelCredentials());
    EXPECT_EQ(Run(*EchoStream::New(GetParam(), own_channel, "retried"))
                  .status.error_code(),
              StatusCode::ABORTED);
    if (round % 4 == 0) {
      EXPECT_EQ(Run(*EchoStream::New(GetParam(), own_channel, "silent"))
                    .status.error_code(),
                StatusCode::DEADLINE_EXCEEDED);
    }
    auto dropped = EchoStream::New(GetParam(), own_channel, "silent");
    dropped->Start();
    dropped->Cancel();
    dropped.reset();
    if (round % 2 == 0) own_channel.reset();
    own.reset();
  }
}

TEST_P(StreamSettingsTest, A37_LaterInterceptorsSeeEachAttemptOnce) {
  const auto counter = std::make_shared<AttemptCounter>();
  ChannelSetup setup;
  setup.interceptors.push_back(
      FactoryOf([](grpc::experimental::ClientRpcInfo*)
                    -> grpc::experimental::Interceptor* { return nullptr; }));
  setup.interceptors.push_back(CountingFactory(counter));
  Use(TestPolicy(), Options(), std::move(setup));
  ScriptOneRetry();
  ExpectOneRetry(Run());
  EXPECT_EQ(counter->ends, 2);
  EXPECT_EQ(counter->created, 3);  // Once for the application's own call.
}

// The nested call goes through a channel of the same toolkit and is retried by
// itself; the first fetch needs two attempts, the second one.
TEST_P(StreamSettingsTest, A37_AnInterceptorThatMakesACallOfItsOwn) {
  std::shared_ptr<grpc::Channel> token_channel;
  ChannelSetup setup;
  setup.interceptors.push_back(TokenFetchingFactory(token_channel));
  Use(TestPolicy(), Options(), std::move(setup));
  token_channel = *toolkit().CreateChannel(server().address(),
                                           grpc::InsecureChannelCredentials());
  ScriptOneRetry();
  server().Script("token", {AttemptScript::Fail(StatusCode::ABORTED),
                            AttemptScript::Ok("first token"),
                            AttemptScript::Ok("second token")});
  const EchoResult result = Run();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(Headers(), ElementsAre("-", "1"));
  EXPECT_THAT(Headers("token"), ElementsAre("-", "1", "-"));
  ASSERT_THAT(Seen(), SizeIs(2));
  EXPECT_EQ(ValueOf(Seen()[0].metadata, "token"), "first token");
  EXPECT_EQ(ValueOf(Seen()[1].metadata, "token"), "second token");
  EXPECT_TRUE(observer().WaitFor(CallEvent::Type::kCallEnded, 3));
}

class Token : public grpc::MetadataCredentialsPlugin {
 public:
  grpc::Status GetMetadata(
      grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
      std::multimap<std::string, std::string>* metadata) override {
    metadata->emplace("authorization", "Bearer token");
    return grpc::Status();
  }
};

TEST_P(StreamSettingsTest, A38_CredentialsOnEveryAttempt) {
  ScriptedServer::Options options;
  options.credentials = grpc::experimental::LocalServerCredentials(LOCAL_TCP);
  UseServer(options);
  ChannelSetup setup;
  setup.credentials = grpc::experimental::LocalCredentials(LOCAL_TCP);
  Use(TestPolicy(), Options(), std::move(setup));
  ScriptOneRetry();
  ExpectOneRetry(Run(kCall, [](grpc::ClientContext& context) {
    context.set_credentials(grpc::experimental::MetadataCredentialsFromPlugin(
        std::make_unique<Token>(), GRPC_SECURITY_NONE));
  }));
  for (const SeenAttempt& seen : Seen()) {
    EXPECT_EQ(ValueOf(seen.metadata, "authorization"), "Bearer token");
  }
}

TEST_P(StreamSettingsTest, A38_AuthorityCompressionAndCensusOnEveryAttempt) {
  ScriptedServer::Options options;
  options.keep_compressed = true;
  UseServer(options);
  CensusContexts census;
  ChannelSetup setup;
  setup.interceptors.push_back(census.Factory());
  Use(TestPolicy(), Options(), std::move(setup));
  ScriptOneRetry();
  alignas(16) static char mark[1024] = {};  // Nobody looks inside.
  const auto stream = NewStream();
  stream->context().set_census_context(reinterpret_cast<census_context*>(mark));
  stream->context().set_authority("other.example");
  stream->context().set_compression_algorithm(GRPC_COMPRESS_GZIP);
  const std::string large(1000, 'a');
  stream->Start(large);
  stream->WriteLast(large);
  stream->ReadAll();
  EXPECT_TRUE(stream->Finish().status.ok());
  ASSERT_THAT(Seen(), SizeIs(2));
  for (const SeenAttempt& seen : Seen()) {
    EXPECT_EQ(seen.authority, "other.example");
    ASSERT_THAT(seen.requests, SizeIs(1));
    EXPECT_EQ(seen.requests[0].substr(0, 2), "\x1f\x8b");  // gzip's own.
  }
  EXPECT_THAT(census.seen(), Each(static_cast<const void*>(mark)));
  EXPECT_GE(census.seen().size(), 2u);
}

TEST_P(StreamSettingsTest, A40_MethodsWithoutAPolicyPassThrough) {
  const auto counter = std::make_shared<AttemptCounter>();
  TestPolicy policy;
  policy.name = R"([{"service":"retrykit.testing.Echo","method":"Other"}])";
  ChannelSetup setup;
  setup.interceptors.push_back(CountingFactory(counter));
  Use(policy, Options(), std::move(setup));
  ScriptOneRetry();
  EXPECT_EQ(Run().status.error_message(), "no");
  EXPECT_EQ(counter->created, 1);
  EXPECT_THAT(Headers(), ElementsAre("-"));
}

// Blocking streams in callback handlers, more than there are threads.
TEST_P(StreamSettingsTest, A41_BlockingStreamsInCallbackHandlers) {
  if (api() != StreamApi::kSync) return;
  Use(TestPolicy());
  const int calls =
      4 * static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CallbackHandlerServer middle([this](grpc::CallbackServerContext&,
                                      const testing::EchoRequest& request,
                                      testing::EchoResponse& response) {
    const EchoResult result = Run(request.id());
    response = result.response;
    return result.status;
  });
  const auto to_middle =
      grpc::CreateChannel(middle.address(), grpc::InsecureChannelCredentials());
  std::vector<std::unique_ptr<EchoCall>> inbound;
  for (int i = 0; i < calls; ++i) {
    const std::string id = absl::StrCat("call ", i);
    server().Script(id, {Aborted(), AttemptScript::Ok("done").AfterDelay(
                                        absl::Milliseconds(50))});
    inbound.push_back(std::make_unique<EchoCall>(CallStyle::kSync, to_middle,
                                                 RequestFor(id)));
    inbound.back()->Start();
  }
  for (const auto& call : inbound) {
    const EchoResult result = call->Wait();
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_EQ(result.response.message(), "done");
  }
}

// A stream that an open breaker refuses never ends inside the call that starts
// it, which may hold a lock.
class LockingReactor : public grpc::ClientBidiReactor<testing::EchoRequest,
                                                      testing::EchoResponse> {
 public:
  void Begin(testing::Echo::Stub& stub, grpc::ClientContext& context) {
    MutexLock lock(mu_);
    beginning_ = std::this_thread::get_id();
    stub.async()->Bidi(&context, this);
    StartCall();
    beginning_ = std::thread::id();
  }
  void OnDone(const grpc::Status& status) override {
    EXPECT_NE(beginning_.load(), std::this_thread::get_id());
    MutexLock lock(mu_);
    EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
    done_ = true;
  }
  bool done() {
    MutexLock lock(mu_);
    return done_;
  }

 private:
  std::atomic<std::thread::id> beginning_{std::thread::id()};
  Mutex mu_;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
};

TEST_P(StreamSettingsTest, A43_ACallThatEndsAtOnceCompletesLater) {
  if (api() != StreamApi::kReactor) return;
  for (const bool retries : {true, false}) {
    TestPolicy policy;
    policy.retries = retries;
    policy.circuit_breaker =
        R"({"consecutiveFailures":1,"openDuration":"600s"})";
    Use(policy);
    server().Script(kCall, {AttemptScript::Fail(StatusCode::INTERNAL)});
    EXPECT_EQ(Run().status.error_code(), StatusCode::INTERNAL);
    const auto stub = testing::Echo::NewStub(channel());
    grpc::ClientContext context;
    LockingReactor reactor;
    reactor.Begin(*stub, context);
    EXPECT_TRUE(Eventually([&] { return reactor.done(); }));

    // From a callback of gRPC's.
    const auto plain = testing::Echo::NewStub(plain_channel());
    const testing::EchoRequest request = RequestFor("first");
    testing::EchoResponse response;
    grpc::ClientContext first_context;
    grpc::ClientContext second_context;
    LockingReactor second;
    plain->async()->Unary(
        &first_context, &request, &response,
        [&](const grpc::Status&) { second.Begin(*stub, second_context); });
    EXPECT_TRUE(Eventually([&] { return second.done(); }));
  }
}

// Installed once and for all, as gRPC wants it; does something when told to.
class NumberingCallbacks : public grpc::ClientContext::GlobalCallbacks {
 public:
  static NumberingCallbacks& Install() {
    static NumberingCallbacks* const installed = [] {
      auto* const callbacks = new NumberingCallbacks;
      grpc::ClientContext::SetGlobalCallbacks(callbacks);
      return callbacks;
    }();
    return *installed;
  }
  void set_on(bool on) { on_ = on; }
  void DefaultConstructor(grpc::ClientContext* context) override {
    if (on_) context->AddMetadata("number", std::to_string(++contexts_));
  }
  void Destructor(grpc::ClientContext*) override {}

 private:
  std::atomic<bool> on_{false};
  std::atomic<int> contexts_{0};
};

TEST_P(StreamSettingsTest, A45_GlobalCallbacksThatAddMetadata) {
  Use(TestPolicy());
  ScriptOneRetry();
  NumberingCallbacks& callbacks = NumberingCallbacks::Install();
  callbacks.set_on(true);
  const EchoResult result = Run();
  callbacks.set_on(false);
  ExpectOneRetry(result);
  ASSERT_THAT(Seen(), SizeIs(2));
  EXPECT_THAT(ValuesOf(Seen()[0].metadata, "number"), SizeIs(1));
  EXPECT_EQ(ValuesOf(Seen()[1].metadata, "number"),
            ValuesOf(Seen()[0].metadata, "number"));
}

INSTANTIATE_TEST_SUITE_P(, StreamSettingsTest, ValuesIn(AllStreamStyles()),
                         StreamStyleTestName);

}  // namespace
}  // namespace retrykit
