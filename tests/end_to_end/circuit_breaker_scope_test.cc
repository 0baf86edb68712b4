// Which calls share a circuit breaker; what a reload keeps of it; and that its
// probes reach a server that is up again.
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "tests/end_to_end/circuit_breaker_fixture.h"
#include "tests/support/byte_buffers.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

constexpr char kOneFailure[] =
    R"({"consecutiveFailures":1,"openDuration":"600s"})";
constexpr char kOneFailurePerMethod[] =
    R"({"consecutiveFailures":1,"openDuration":"600s","scope":"METHOD"})";

// Methods A, B (one entry) and C (an entry of its own), called by name.
class ScopeTest : public EndToEndTest {
 protected:
  static TestPolicy PolicyFor(const std::string& breaker) {
    TestPolicy other;
    other.name = Names({"C"});
    other.circuit_breaker = breaker;
    TestPolicy policy;
    policy.name = Names({"A", "B"});
    policy.circuit_breaker = breaker;
    policy.more_method_configs = other.MethodConfig();
    return policy;
  }

  void UseBreaker(const std::string& breaker) {
    Options options;
    options.codec = ByteBufferCodec();
    Use(PolicyFor(breaker), std::move(options));
    server().Script(kFails, {AttemptScript::Fail(StatusCode::INTERNAL)});
  }

  StatusCode CallMethod(const std::string& method, const std::string& id,
                        std::shared_ptr<grpc::Channel> on = nullptr) {
    grpc::ClientContext context;
    context.AddMetadata(kCallIdHeader, id);
    const grpc::ByteBuffer request =
        BufferOf(RequestFor(id).SerializeAsString());
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    grpc::GenericStub stub(on != nullptr ? std::move(on) : channel());
    stub.UnaryCall(&context, absl::StrCat("/retrykit.testing.Echo/", method),
                   grpc::StubOptions(), &request, &response,
                   [&done](grpc::Status status) { done.set_value(status); });
    return done.get_future().get().error_code();
  }

 private:
  static std::string Names(std::initializer_list<const char*> methods) {
    std::string names;
    for (const char* method : methods) {
      absl::StrAppend(
          &names, names.empty() ? "" : ",",
          absl::Substitute(
              R"({"service":"retrykit.testing.Echo","method":"$0"})", method));
    }
    return absl::StrCat("[", names, "]");
  }
};

TEST_F(ScopeTest, D12_OnePerEntry) {
  UseBreaker(kOneFailure);
  EXPECT_EQ(CallMethod("A", kFails), StatusCode::INTERNAL);
  EXPECT_EQ(CallMethod("A", kOk), StatusCode::UNAVAILABLE);
  EXPECT_EQ(CallMethod("B", kOk), StatusCode::UNAVAILABLE);
  EXPECT_EQ(CallMethod("C", kOk), StatusCode::OK);
}

TEST_F(ScopeTest, D12_OnePerMethod) {
  UseBreaker(kOneFailurePerMethod);
  EXPECT_EQ(CallMethod("A", kFails), StatusCode::INTERNAL);
  EXPECT_EQ(CallMethod("A", kOk), StatusCode::UNAVAILABLE);
  EXPECT_EQ(CallMethod("B", kOk), StatusCode::OK);
  EXPECT_EQ(CallMethod("C", kOk), StatusCode::OK);
}

TEST_F(ScopeTest, D12_OnePerTarget) {
  UseBreaker(kOneFailure);
  ScriptedServer other;
  const auto same_target = *toolkit().CreateChannel(
      server().address(), grpc::InsecureChannelCredentials());
  const auto other_target = *toolkit().CreateChannel(
      other.address(), grpc::InsecureChannelCredentials());
  EXPECT_EQ(CallMethod("A", kFails), StatusCode::INTERNAL);
  EXPECT_EQ(CallMethod("A", kOk, same_target), StatusCode::UNAVAILABLE);
  EXPECT_EQ(CallMethod("A", kOk, other_target), StatusCode::OK);
}

class ReloadTest : public CircuitBreakerTest {
 protected:
  static ServiceConfig ConfigWith(const std::string& breaker) {
    TestPolicy policy;
    policy.circuit_breaker = breaker;
    return *ServiceConfig::FromJson(policy.Json());
  }
};

// Two failures in a row open it: one is counted before the reload.
TEST_P(ReloadTest, D14_SameNumbersKeepTheWindow) {
  const std::string two = R"({"consecutiveFailures":2,"openDuration":"600s"})";
  UseBreaker(two);
  Call(kFails);
  ASSERT_TRUE(toolkit().Reload(ConfigWith(two)).ok());
  EXPECT_EQ(Opened(), 0);
  Call(kFails);
  EXPECT_EQ(Opened(), 1);
  ASSERT_TRUE(toolkit().Reload(ConfigWith(two)).ok());
  EXPECT_TRUE(IsRefused(kOk));
}

TEST_P(ReloadTest, D14_OtherNumbersKeepTheState) {
  UseBreaker(kOneFailure);
  Call(kFails);
  ASSERT_TRUE(toolkit()
                  .Reload(ConfigWith(
                      R"({"consecutiveFailures":9,"openDuration":"600s"})"))
                  .ok());
  EXPECT_TRUE(IsRefused(kOk));
}

// The held call's permit belongs to a breaker that is gone when it comes back.
TEST_P(ReloadTest, D14_GoesWithItsEntry) {
  UseBreaker(kOneFailure);
  auto held = NewCall(kHeld);
  held->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kHeld, 1));
  Call(kFails);
  EXPECT_TRUE(IsRefused(kOk));
  ASSERT_TRUE(toolkit().Reload(ConfigWith("")).ok());
  EXPECT_TRUE(Call(kOk).status.ok());
  ASSERT_TRUE(toolkit().Reload(ConfigWith(kOneFailure)).ok());
  EXPECT_TRUE(Call(kOk).status.ok());
  server().OpenGate("go");
  EXPECT_TRUE(held->Wait().status.ok());
}

INSTANTIATE_TEST_SUITE_P(, ReloadTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

// Real time: the server is down for as long as it takes to open the breaker.
// Of the calls that the breaker lets through afterwards the first must succeed.
class RecoveryTest : public UnaryEndToEndTest {};

TEST_P(RecoveryTest, D15_ProbesReachAServerThatIsUpAgain) {
  TestPolicy policy;
  policy.retryable_codes = R"(["ABORTED"])";
  policy.circuit_breaker =
      R"({"consecutiveFailures":2,"openDuration":"0.5s",
          "maxOpenDuration":"0.5s","halfOpenProbes":1})";
  Use(policy);
  EXPECT_TRUE(Call("before").status.ok());
  server().Kill();
  int failures = 0;
  ASSERT_TRUE(Eventually([&] {
    if (!Call("down").status.ok()) ++failures;
    return observer().Count(CallEvent::Type::kBreakerChanged) > 0;
  }));
  EXPECT_GE(failures, 2);
  server().Start();
  const int sent = observer().Count(CallEvent::Type::kAttemptStarted);
  EchoResult result;
  ASSERT_TRUE(Eventually([&] {
    result = Call("after");
    return observer().Count(CallEvent::Type::kAttemptStarted) > sent;
  }));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
}

INSTANTIATE_TEST_SUITE_P(, RecoveryTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
