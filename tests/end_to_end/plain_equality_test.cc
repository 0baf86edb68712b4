// Ends that a plain channel gives, in sane ways and in strange ones, are the
// same through the toolkit: per API, and with every version of gRPC.
#include <grpc/support/time.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

class PlainEqualityTest : public UnaryEndToEndTest {
 protected:
  // One call each way, both answered by `script`; the toolkit's is tried once.
  EchoResult ExpectSameEnd(const AttemptScript& script,
                           const Prepare& prepare = nullptr) {
    server().Script(kCall, {script});
    server().Script("plain", {script});
    const EchoResult ours = Call(kCall, prepare);
    ExpectSame(ours, PlainCall("plain", prepare));
    return ours;
  }
};

TEST_P(PlainEqualityTest, A03_AFailureThatIsNotRetried) {
  Use(TestPolicy());
  ExpectSameEnd(
      AttemptScript::Fail(StatusCode::INVALID_ARGUMENT, "bad", "details")
          .WithInitialMetadata("initial", "1")
          .WithTrailingMetadata("trailing", "2"));
  ExpectAttempts(kCall, 1);
}

TEST_P(PlainEqualityTest, A01_ASuccessWithMetadata) {
  Use(TestPolicy());
  ExpectSameEnd(AttemptScript::Ok("done")
                    .WithHeadersFirst()
                    .WithInitialMetadata("initial", "1")
                    .WithInitialMetadata("initial-bin", std::string("\0", 1))
                    .WithTrailingMetadata("trailing", "2"));
  ExpectAttempts(kCall, 1);
}

TEST_P(PlainEqualityTest, A23_OkWithAMessageThatDoesNotParse) {
  TestPolicy policy;
  policy.retryable_codes = R"(["INTERNAL", "UNIMPLEMENTED", "UNKNOWN"])";
  Use(policy);
  ExpectSameEnd(AttemptScript::OkWithBytes("\xff\xff\xff\xff"));
  ExpectAttempts(kCall, 1);
}

TEST_P(PlainEqualityTest, A24_OkWithoutAMessage) {
  TestPolicy policy;
  policy.retryable_codes = R"(["INTERNAL", "UNIMPLEMENTED", "UNKNOWN"])";
  Use(policy);
  ExpectSameEnd(AttemptScript::OkWithoutMessage());
  ExpectAttempts(kCall, 1);
}

TEST_P(PlainEqualityTest, A24_OkWithAnEmptyMessage) {
  Use(TestPolicy());
  EXPECT_TRUE(ExpectSameEnd(AttemptScript::OkWithBytes("")).status.ok());
  ExpectAttempts(kCall, 1);
}

TEST_P(PlainEqualityTest, A39_InfiniteDeadline) {
  Use(TestPolicy());
  const EchoResult ours =
      ExpectSameEnd(AttemptScript::Ok(), [](grpc::ClientContext& context) {
        context.set_deadline(gpr_inf_future(GPR_CLOCK_REALTIME));
      });
  EXPECT_TRUE(ours.status.ok());
  EXPECT_EQ(server().log().Attempts(kCall).at(0).time_left,
            absl::InfiniteDuration());
}

TEST_P(PlainEqualityTest, A39_DeadlineInThePast) {
  Use(TestPolicy());
  const EchoResult ours =
      ExpectSameEnd(AttemptScript::Silent(), WithDeadline(-absl::Hours(1)));
  EXPECT_EQ(ours.status.error_code(), StatusCode::DEADLINE_EXCEEDED);
}

// gRPC rounds such a deadline up to its next millisecond, so a plain call may
// get as far as the server before it ends; the status is what must agree.
TEST_P(PlainEqualityTest, A39_DeadlineANanosecondAway) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Silent()});
  server().Script("plain", {AttemptScript::Silent()});
  const EchoResult ours = Call(kCall, WithDeadline(absl::Nanoseconds(1)));
  const EchoResult plain =
      PlainCall("plain", WithDeadline(absl::Nanoseconds(1)));
  EXPECT_EQ(ours.status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(ours.status.error_code(), plain.status.error_code());
  EXPECT_EQ(ours.status.error_message(), plain.status.error_message());
}

INSTANTIATE_TEST_SUITE_P(, PlainEqualityTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
