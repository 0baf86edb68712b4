// The circuit breaker and streams.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "tests/end_to_end/streams/stream_fixture.h"
#include "tests/support/real_time.h"
#include "tests/support/shifted_clock.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using ::testing::ValuesIn;

constexpr char kFragile[] =
    R"({"consecutiveFailures":1,"openDuration":"600s",
        "maxOpenDuration":"600s","halfOpenProbes":1})";

class StreamBreakerTest : public StreamEndToEndTest {
 protected:
  void UseBreaker(bool retries, const std::string& breaker = kFragile) {
    TestPolicy policy;
    policy.retries = retries;
    policy.circuit_breaker = breaker;
    Options options;
    options.clock = &clock_;
    Use(policy, std::move(options));
    server().Script("fails", {AttemptScript::Fail(StatusCode::INTERNAL)});
  }
  // One probe at a time, and the next call is it.
  void UseHalfOpenBreaker(bool retries) {
    UseBreaker(retries);
    Run("fails");
    clock_.Advance(absl::Seconds(800));
  }
  // The clock must outlive the toolkit.
  void TearDown() override {
    StreamEndToEndTest::TearDown();
    DropToolkit();
  }
  std::unique_ptr<EchoStream> Started(const std::string& id) {
    auto stream = NewStream(id);
    stream->Start();
    if (kind() != StreamKind::kServer) {
      EXPECT_TRUE(stream->Write("hello"));
    }
    EXPECT_TRUE(server().log().WaitForAttempts(id, 1));
    return stream;
  }
  bool IsRefused(const std::string& id) {
    const EchoResult result = Run(id);
    return result.status.error_code() == StatusCode::UNAVAILABLE &&
           absl::StrContains(result.status.error_message(), "circuit breaker");
  }
  // The permit is there for the taking, and a success closes the breaker.
  void ExpectPermitIsBack() {
    EXPECT_TRUE(Run("ok").status.ok());
    EXPECT_FALSE(IsRefused("ok"));
  }

  ShiftedClock clock_;
};

TEST_P(StreamBreakerTest, D02_AnOpenBreakerSendsNothing) {
  for (const bool retries : {true, false}) {
    SCOPED_TRACE(retries ? "with retryPolicy" : "breaker alone");
    UseBreaker(retries);
    EXPECT_EQ(Run("fails").status.error_code(), StatusCode::INTERNAL);
    const EchoResult refused = Run("refused");
    EXPECT_EQ(refused.status.error_code(), StatusCode::UNAVAILABLE);
    EXPECT_THAT(refused.status.error_message(), HasSubstr("circuit breaker"));
    EXPECT_THAT(refused.status.error_message(), HasSubstr("open for another"));
    EXPECT_NE(refused.status.error_details(), "");
    ExpectAttempts("refused", 0);
  }
}

TEST_P(StreamBreakerTest, D05_LateFailureFromBeforeTheChange) {
  UseBreaker(true);
  server().Script("held",
                  {Script({ReadOne(), Gate("go"), End(StatusCode::INTERNAL)})});
  const auto early = Started("held");
  Run("fails");
  clock_.Advance(absl::Seconds(800));
  ExpectPermitIsBack();
  server().OpenGate("go");
  EXPECT_EQ(early->Finish().status.error_code(), StatusCode::INTERNAL);
  EXPECT_TRUE(Run("ok").status.ok());
}

TEST_P(StreamBreakerTest, D06_ProbeCancelled) {
  for (const bool retries : {true, false}) {
    UseHalfOpenBreaker(retries);
    const std::string id = retries ? "driven" : "admitted";
    server().Script(id, {AttemptScript::Silent()});
    const auto probe = Started(id);
    EXPECT_TRUE(IsRefused("ok"));
    probe->Cancel();
    EXPECT_EQ(probe->Finish().status.error_code(), StatusCode::CANCELLED);
    ExpectPermitIsBack();
  }
}

TEST_P(StreamBreakerTest, D06_ProbeDroppedWithoutFinish) {
  for (const bool retries : {true, false}) {
    UseHalfOpenBreaker(retries);
    const std::string id = retries ? "driven" : "admitted";
    server().Script(id, {AttemptScript::Silent()});
    auto probe = Started(id);
    EXPECT_TRUE(IsRefused("ok"));
    probe.reset();
    ExpectPermitIsBack();
  }
}

TEST_P(StreamBreakerTest, D06_ProbeThatEndsNeutrally) {
  UseHalfOpenBreaker(true);
  server().Script("neutral",
                  {AttemptScript::Fail(StatusCode::RESOURCE_EXHAUSTED)});
  EXPECT_EQ(Run("neutral").status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  ExpectPermitIsBack();
}

TEST_P(StreamBreakerTest, D06_ProbeThatHangs) {
  UseHalfOpenBreaker(true);
  server().Script("held",
                  {Script({ReadOne(), Gate("go"), End(StatusCode::INTERNAL)})});
  const auto probe = Started("held");
  EXPECT_TRUE(IsRefused("ok"));
  clock_.Advance(absl::Seconds(800));
  ExpectPermitIsBack();
  server().OpenGate("go");
  EXPECT_EQ(probe->Finish().status.error_code(), StatusCode::INTERNAL);
  EXPECT_TRUE(Run("ok").status.ok());
}

// The stream goes on, and the breaker is closed meanwhile.
TEST_P(StreamBreakerTest, D06_ProbeSucceedsAtItsFirstMessage) {
  if (kind() == StreamKind::kClient) return;
  for (const bool retries : {true, false}) {
    UseHalfOpenBreaker(retries);
    const std::string id = retries ? "driven" : "admitted";
    server().Script(id, {Script({ReadOne(), Send("a"), Gate("go"), End()})});
    const auto probe = Started(id);
    testing::EchoResponse response;
    EXPECT_TRUE(probe->Read(&response));
    EXPECT_FALSE(IsRefused("ok"));
    probe->Cancel();
    probe->Finish();
  }
}

// A server that is down and comes back: the probe reaches it as soon as the
// open interval has passed.
TEST_P(StreamBreakerTest, D15_ProbesReachAServerThatIsBack) {
  TestPolicy policy;
  policy.retries = false;
  policy.circuit_breaker =
      R"({"consecutiveFailures":1,"openDuration":"0.3s",
          "maxOpenDuration":"0.3s","halfOpenProbes":1})";
  ScriptedServer::Options down;
  down.start = false;
  UseServer(down);
  Use(policy);
  EXPECT_EQ(Run("down").status.error_code(), StatusCode::UNAVAILABLE);
  server().Start();
  // At most 0.36 s of the interval, and the channel's own reconnect.
  EXPECT_TRUE(
      Eventually([&] { return Run("up").status.ok(); }, absl::Seconds(2)));
}

INSTANTIATE_TEST_SUITE_P(, StreamBreakerTest, ValuesIn(AllStreamStyles()),
                         StreamStyleTestName);

}  // namespace
}  // namespace retrykit
