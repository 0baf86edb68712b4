// retrykit beside the application's other interceptors, generic stubs, and
// global callbacks.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/byte_buffers.h"
#include "tests/support/end_to_end_test.h"
#include "tests/support/interceptors.h"
#include "tests/support/metadata.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::Interceptor;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class UnaryInterceptorsTest : public UnaryEndToEndTest {
 protected:
  void ScriptOneRetry(const std::string& id = kCall) {
    server().Script(id, {AttemptScript::Fail(StatusCode::ABORTED, "no"),
                         AttemptScript::Ok("done")});
  }

  void ExpectOneRetry(const EchoResult& result) {
    EXPECT_EQ(result.response.message(), "done");
    Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  }

  // How many of one call's requests an interceptor sees as a message there:
  // some APIs serialize before any interceptor is asked.
  int TypedRequestsOnAPlainChannel() {
    const auto counter = std::make_shared<AttemptCounter>();
    Toolkit::FactoryList factories;
    factories.push_back(CountingFactory(counter));
    CallEcho(style(),
             grpc::experimental::CreateCustomChannelWithInterceptors(
                 server().address(), grpc::InsecureChannelCredentials(),
                 grpc::ChannelArguments(), std::move(factories)),
             RequestFor("plain"));
    return counter->typed_requests;
  }

  // A unary call of any method with messages as bytes.
  struct GenericResult {
    grpc::Status status;
    std::string response;
  };
  GenericResult CallGeneric(const std::string& method, const std::string& id) {
    grpc::ClientContext context;
    context.AddMetadata(kCallIdHeader, id);
    const grpc::ByteBuffer request =
        BufferOf(RequestFor(id).SerializeAsString());
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    grpc::GenericStub stub(channel());
    stub.UnaryCall(&context, method, grpc::StubOptions(), &request, &response,
                   [&done](grpc::Status status) { done.set_value(status); });
    const grpc::Status status = done.get_future().get();
    return {status, status.ok() ? BytesOf(response) : ""};
  }
};

TEST_P(UnaryInterceptorsTest, A37_ALaterInterceptorSeesEachAttemptOnce) {
  const auto counter = std::make_shared<AttemptCounter>();
  ChannelSetup setup;
  setup.interceptors.push_back(CountingFactory(counter));
  Use(TestPolicy(), Options(), std::move(setup));
  ScriptOneRetry();
  ExpectOneRetry(Call());
  EXPECT_EQ(counter->starts, 2);
  EXPECT_EQ(counter->ends, 2);
  EXPECT_EQ(counter->created, 3);  // Once for the application's own call.
}

TEST_P(UnaryInterceptorsTest, A37_BehindAFactoryThatGivesNothing) {
  const auto counter = std::make_shared<AttemptCounter>();
  ChannelSetup setup;
  setup.interceptors.push_back(
      FactoryOf([](ClientRpcInfo*) -> Interceptor* { return nullptr; }));
  setup.interceptors.push_back(CountingFactory(counter));
  Use(TestPolicy(), Options(), std::move(setup));
  ScriptOneRetry();
  ExpectOneRetry(Call());
  EXPECT_EQ(counter->starts, 2);
  EXPECT_EQ(counter->ends, 2);
}

TEST_P(UnaryInterceptorsTest, A37_BesideAnInterceptorThatReissuesCalls) {
  const auto before = std::make_shared<AttemptCounter>();
  const auto reissued = std::make_shared<AttemptCounter>();
  const auto behind = std::make_shared<AttemptCounter>();
  ChannelSetup setup;
  setup.interceptors.push_back(CountingFactory(before));
  setup.interceptors.push_back(ReissuingFactory(reissued));
  setup.interceptors.push_back(CountingFactory(behind));
  Use(TestPolicy(), Options(), std::move(setup));
  ScriptOneRetry();
  const EchoResult result = Call();
  // An interceptor that hijacks cannot say that there were no headers. Where
  // the application waits for them alone it gets them, and that commits.
  const bool commits = style() == CallStyle::kCqReadMetadata;
  if (commits) {
    Expect(result, {StatusCode::ABORTED, "no", {"-"}, Reason::kCommitted, -1});
  } else {
    ExpectOneRetry(result);
  }
  EXPECT_EQ(before->starts, commits ? 1 : 2);
  EXPECT_EQ(reissued->starts, commits ? 1 : 2);
  EXPECT_EQ(behind->starts, commits ? 1 : 2);
}

// The nested call goes through a channel of the same toolkit and is retried by
// itself; the first fetch needs two attempts, the second one.
TEST_P(UnaryInterceptorsTest, A37_AnInterceptorThatMakesACallOfItsOwn) {
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
  const EchoResult result = Call();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(Headers(), ElementsAre("-", "1"));
  EXPECT_THAT(Headers("token"), ElementsAre("-", "1", "-"));
  const auto seen = server().log().Attempts(kCall);
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_EQ(ValueOf(seen[0].metadata, "token"), "first token");
  EXPECT_EQ(ValueOf(seen[1].metadata, "token"), "second token");
  EXPECT_TRUE(observer().WaitFor(CallEvent::Type::kCallEnded, 3));
}

TEST_P(UnaryInterceptorsTest, A40_MethodsWithoutAPolicyPassThrough) {
  const auto counter = std::make_shared<AttemptCounter>();
  TestPolicy policy;
  policy.name = R"([{"service":"retrykit.testing.Echo","method":"Other"}])";
  ChannelSetup setup;
  setup.interceptors.push_back(CountingFactory(counter));
  Options options;
  options.method_codecs["/retrykit.testing.Echo/Other"] = ByteBufferCodec();
  Use(policy, std::move(options), std::move(setup));
  ScriptOneRetry();
  ScriptOneRetry("generic");
  ScriptOneRetry("generic with policy");

  EXPECT_EQ(Call().status.error_message(), "no");
  EXPECT_EQ(counter->created, 1);
  EXPECT_EQ(counter->starts, 1);
  EXPECT_EQ(counter->typed_requests, TypedRequestsOnAPlainChannel());
  EXPECT_THAT(Headers(), ElementsAre("-"));

  const std::string service = "/retrykit.testing.Echo/";
  EXPECT_EQ(CallGeneric(service + "Unary", "generic").status.error_message(),
            "no");
  EXPECT_EQ(counter->starts, 2);

  const GenericResult retried =
      CallGeneric(service + "Other", "generic with policy");
  EXPECT_TRUE(retried.status.ok()) << retried.status.error_message();
  testing::EchoResponse response;
  EXPECT_TRUE(response.ParseFromString(retried.response));
  EXPECT_EQ(response.message(), "done");
  EXPECT_EQ(counter->starts, 4);
  EXPECT_THAT(Headers("generic with policy"), ElementsAre("-", "1"));
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

// The number is the application's context's own on both attempts, not that of
// the contexts made for them.
TEST_P(UnaryInterceptorsTest, A45_GlobalCallbacksThatAddMetadata) {
  Use(TestPolicy());
  ScriptOneRetry();
  NumberingCallbacks& callbacks = NumberingCallbacks::Install();
  callbacks.set_on(true);
  const EchoResult result = Call();
  callbacks.set_on(false);
  ExpectOneRetry(result);
  const auto seen = server().log().Attempts(kCall);
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_THAT(ValuesOf(seen[0].metadata, "number"), SizeIs(1));
  EXPECT_EQ(ValuesOf(seen[1].metadata, "number"),
            ValuesOf(seen[0].metadata, "number"));
}

INSTANTIATE_TEST_SUITE_P(, UnaryInterceptorsTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
