// The retry budget, seen from outside.
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/end_to_end_test.h"
#include "tests/support/toolkit_peer.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

class UnaryBudgetTest : public UnaryEndToEndTest {
 protected:
  std::shared_ptr<grpc::Channel> NewChannel(const std::string& target) {
    return *toolkit().CreateChannel(target, grpc::InsecureChannelCredentials());
  }

  EchoResult CallOn(const std::shared_ptr<grpc::Channel>& on,
                    const std::string& id) {
    return CallEcho(style(), on, RequestFor(id));
  }
};

TEST_P(UnaryBudgetTest, A28_TooSmallForARetry) {
  TestPolicy policy;
  policy.throttling = R"({"maxTokens":2,"tokenRatio":1})";
  Use(policy);
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no")});
  Expect(Call(), {StatusCode::ABORTED,
                  "no" + Why(Reason::kBudget, 1),
                  {"-"},
                  Reason::kBudget,
                  -1});
}

// Four tokens: the first failure leaves three, which is above half, the second
// two, which is not.
TEST_P(UnaryBudgetTest, A30_SharedByTheChannelsToATarget) {
  TestPolicy policy;
  policy.throttling = R"({"maxTokens":4,"tokenRatio":1})";
  Use(policy);
  const auto no = AttemptScript::Fail(StatusCode::ABORTED, "no");
  ScriptedServer other;
  server().Script("first", {no});
  server().Script("second", {no});
  other.Script("third", {no});

  Expect(CallOn(channel(), "first"),
         {StatusCode::ABORTED,
          "no" + Why(Reason::kBudget, 2),
          {"-", "1"},
          Reason::kBudget,
          -2},
         "first");
  Expect(CallOn(NewChannel(server().address()), "second"),
         {StatusCode::ABORTED,
          "no" + Why(Reason::kBudget, 1),
          {"-"},
          Reason::kBudget,
          -1},
         "second");
  const auto other_channel = NewChannel(other.address());
  EXPECT_EQ(CallOn(other_channel, "third").status.error_message(),
            "no" + Why(Reason::kBudget, 2));
  EXPECT_EQ(other.log().total(), 2);
  EXPECT_EQ(ToolkitPeer::MilliTokens(toolkit(), other.address()), 2000);
  EXPECT_DOUBLE_EQ(Tokens(), 1);
}

INSTANTIATE_TEST_SUITE_P(, UnaryBudgetTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
