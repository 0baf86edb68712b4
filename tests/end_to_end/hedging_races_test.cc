// Hedging where moments meet: answers, cancels and starts at the same time,
// and owners that go right after. Ten thousand of each, without gRPC and under
// tsan: tests/adapter/hedging_races_test.cc.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/end_to_end/circuit_breaker_fixture.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

class HedgingRacesTest : public UnaryEndToEndTest {
 protected:
  // A toolkit and a channel of the test's own, to be dropped at will.
  struct Own {
    std::shared_ptr<Toolkit> toolkit;
    std::shared_ptr<grpc::Channel> channel;
  };
  Own Make(const TestPolicy& policy) {
    Own own;
    own.toolkit =
        Toolkit::Create(ServiceConfig::FromJson(policy.Json()).value()).value();
    own.channel = own.toolkit
                      ->CreateChannel(server().address(),
                                      grpc::InsecureChannelCredentials())
                      .value();
    return own;
  }
};

TEST_P(HedgingRacesTest, C09_HedgesThatSucceedAtTheSameMoment) {
  TestPolicy policy;
  policy.Hedge("0s");
  const Own own = Make(policy);
  for (int round = 0; round < 200; ++round) {
    const std::string id = absl::StrCat("round ", round);
    const EchoResult result =
        CallEcho(style(), own.channel, RequestFor(id, id));
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_EQ(result.response.message(), id);
    EXPECT_EQ(result.completions, 1);
  }
}

TEST_P(HedgingRacesTest, C10_ACancelRacesWithTheNextHedge) {
  TestPolicy policy;
  policy.Hedge("0.001s");
  const Own own = Make(policy);
  server().Script("silent", {AttemptScript::Silent()});
  for (int round = 0; round < 100; ++round) {
    EchoCall call(style(), own.channel, RequestFor("silent"));
    call.Start();
    LetPass(absl::Microseconds(900 + 2 * round));
    call.Cancel();
    const EchoResult result = call.Wait();
    EXPECT_EQ(result.status.error_code(), StatusCode::CANCELLED);
    EXPECT_EQ(result.completions, 1);
  }
}

TEST_P(HedgingRacesTest, A34_ChannelAndToolkitGoWithHedgesJustEnded) {
  TestPolicy policy;
  policy.Hedge("0s");
  TestPolicy slow;
  slow.Hedge("0.001s");
  server().Script("slow",
                  {AttemptScript::Ok().AfterDelay(absl::Milliseconds(2))});
  for (int round = 0; round < 20; ++round) {
    Own own = Make(round % 2 == 0 ? policy : slow);
    const std::string id = round % 2 == 0 ? "fast" : "slow";
    EXPECT_TRUE(CallEcho(style(), own.channel, RequestFor(id)).status.ok());
    if (round % 4 < 2) own.channel.reset();
    own.toolkit.reset();
  }
}

INSTANTIATE_TEST_SUITE_P(, HedgingRacesTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

// A half-open breaker, and a probe that is hedged away.
class HedgedProbeTest : public CircuitBreakerTest {};

TEST_P(HedgedProbeTest, D06_ProbeLostAsAHedge) {
  TestPolicy policy;
  policy.max_attempts = 2;
  policy.Hedge("0.02s");
  policy.circuit_breaker =
      R"({"consecutiveFailures":1,"openDuration":"600s",
          "maxOpenDuration":"600s","halfOpenProbes":2,"halfOpenSuccesses":3})";
  UseWithClock(policy);
  Call(kFails);
  clock_.Advance(absl::Seconds(800));
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Ok()});
  EXPECT_TRUE(Call(kCall).status.ok());  // One success; one permit lost.
  EXPECT_TRUE(server().log().WaitForCancelled(kCall, 1));
  // Both permits are there again.
  auto first = NewCall(kHeld);
  first->Start();
  ASSERT_TRUE(server().log().WaitForAttempts(kHeld, 2));
  server().OpenGate("go");
  EXPECT_TRUE(first->Wait().status.ok());
  EXPECT_TRUE(Call(kOk).status.ok());
  EXPECT_EQ(Closed(), 1);
}

INSTANTIATE_TEST_SUITE_P(, HedgedProbeTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
