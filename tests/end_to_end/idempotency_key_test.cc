// Idempotency keys: a random one per call, the same on all its attempts.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

constexpr char kHeader[] = "my-key";
constexpr char kUuid[] =
    "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

class IdempotencyKeyTest : public UnaryEndToEndTest {
 protected:
  static TestPolicy Policy() {
    TestPolicy policy;
    policy.more = R"("idempotencyKey":{"header":"my-key"})";
    return policy;
  }
  void Script() {
    server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no"),
                            AttemptScript::Ok()});
  }
  // The keys that the server saw, attempt by attempt; several in one attempt
  // stand side by side.
  std::vector<std::string> Keys(const std::string& id = kCall) {
    std::vector<std::string> keys;
    for (const SeenAttempt& seen : server().log().Attempts(id)) {
      const auto [begin, end] = seen.metadata.equal_range(kHeader);
      for (auto key = begin; key != end; ++key) keys.push_back(key->second);
    }
    return keys;
  }
  void ExpectRetried(const EchoResult& result) {
    Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  }
};

TEST_P(IdempotencyKeyTest, IsARandomUuidTheSameOnEveryAttempt) {
  Use(Policy());
  Script();
  ExpectRetried(Call());
  ASSERT_THAT(Keys(), SizeIs(2));
  EXPECT_THAT(Keys(), Each(MatchesRegex(kUuid)));
  EXPECT_EQ(Keys()[0], Keys()[1]);
}

TEST_P(IdempotencyKeyTest, IsAnotherOneForTheNextCall) {
  Use(Policy());
  EXPECT_TRUE(Call("one").status.ok());
  EXPECT_TRUE(Call("two").status.ok());
  EXPECT_NE(Keys("one"), Keys("two"));
  ExpectAttempts("one", 1);
  ExpectAttempts("two", 1);
}

TEST_P(IdempotencyKeyTest, TheApplicationsOwnWins) {
  Use(Policy());
  Script();
  ExpectRetried(Call(kCall, [](grpc::ClientContext& context) {
    context.AddMetadata(kHeader, "mine");
  }));
  EXPECT_THAT(Keys(), ElementsAre("mine", "mine"));
}

TEST_P(IdempotencyKeyTest, AScopeNamesIt) {
  Use(Policy());
  Script();
  auto call = NewCall();
  CallScope scope(call->context());
  scope.set_idempotency_key("order 7");
  call->Start();
  ExpectRetried(call->Wait());
  EXPECT_THAT(Keys(), ElementsAre("order 7", "order 7"));
}

TEST_P(IdempotencyKeyTest, StandsAloneWithoutAnyOtherPolicy) {
  TestPolicy policy = Policy();
  policy.retries = false;
  policy.throttling = "";
  Use(policy);
  EXPECT_TRUE(Call().status.ok());
  EXPECT_THAT(Keys(), ElementsAre(MatchesRegex(kUuid)));
  ExpectAttempts(kCall, 1);
}

INSTANTIATE_TEST_SUITE_P(, IdempotencyKeyTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
