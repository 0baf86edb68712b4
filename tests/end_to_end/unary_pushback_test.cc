// The server's word on when to try again: pushback, and google.rpc.RetryInfo.
//
// That delays are kept to the millisecond is tested in virtual time
// (tests/policy, tests/engine); here: what was decided, that no attempt comes
// earlier, and in which order.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Lt;

class UnaryPushbackTest : public UnaryEndToEndTest {
 protected:
  static AttemptScript Aborted() {
    return AttemptScript::Fail(StatusCode::ABORTED, "no");
  }

  // The delays that were decided on, in milliseconds.
  std::vector<double> Delays() {
    std::vector<double> delays;
    for (const auto& event :
         observer().Events(CallEvent::Type::kRetryScheduled)) {
      delays.push_back(absl::ToDoubleMilliseconds(event.delay));
    }
    return delays;
  }

  // Where they came from.
  std::vector<DelaySource> Sources() {
    std::vector<DelaySource> sources;
    for (const auto& event :
         observer().Events(CallEvent::Type::kRetryScheduled)) {
      sources.push_back(event.delay_source);
    }
    return sources;
  }

  // From one attempt's arrival at the server to the next one's.
  absl::Duration GapBefore(int attempt, const std::string& id = kCall) {
    const auto seen = server().log().Attempts(id);
    const auto at = static_cast<size_t>(attempt - 1);
    return seen.at(at).arrived - seen.at(at - 1).arrived;
  }
};

TEST_P(UnaryPushbackTest, A13_PushbackThenBackoffRestarts) {
  TestPolicy policy;
  policy.max_attempts = 4;
  Use(policy);
  server().Script(kCall, {Aborted(), Aborted().WithPushback("200"), Aborted(),
                          AttemptScript::Ok()});
  Expect(Call(),
         {StatusCode::OK, "", {"-", "1", "2", "3"}, Reason::kSuccess, -2});
  EXPECT_THAT(Delays(), ElementsAre(20, 200, 20));
  EXPECT_THAT(Sources(),
              ElementsAre(DelaySource::kBackoff, DelaySource::kPushback,
                          DelaySource::kBackoff));
  EXPECT_GE(GapBefore(2), absl::Milliseconds(20));
  EXPECT_GE(GapBefore(3), absl::Milliseconds(200));
}

TEST_P(UnaryPushbackTest, A14_PushbackSaysNo) {
  Use(TestPolicy());
  for (const std::string pushback : {"-1", "", "abc", "1.5"}) {
    SCOPED_TRACE(pushback);
    const std::string id = "call " + pushback;
    server().Script(id, {Aborted().WithPushback(pushback)});
    Expect(Call(id),
           {StatusCode::ABORTED,
            "no" + Why(Reason::kPushback, 1),
            {"-"},
            Reason::kPushback,
            -1},
           id);
  }
}

// A backoff of ten seconds would be noticed.
TEST_P(UnaryPushbackTest, A15_PushbackZero) {
  TestPolicy policy;
  policy.SetBackoff("10s");
  Use(policy);
  server().Script(kCall,
                  {Aborted().WithPushback("0"), AttemptScript::Ok("done")});
  const EchoResult result = Call();
  Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_THAT(Delays(), ElementsAre(0));
  EXPECT_THAT(Sources(), ElementsAre(DelaySource::kPushback));
  EXPECT_LT(result.duration, kTooLate);
}

TEST_P(UnaryPushbackTest, A16_StatusIsJudgedBeforePushback) {
  Use(TestPolicy());
  const auto bad = AttemptScript::Fail(StatusCode::INVALID_ARGUMENT, "bad");
  server().Script("later", {bad.WithPushback("10")});
  server().Script("never", {bad.WithPushback("-1")});
  Expect(Call("later"),
         {StatusCode::INVALID_ARGUMENT, "bad", {"-"}, Reason::kNotRetryable, 0},
         "later");
  Expect(
      Call("never"),
      {StatusCode::INVALID_ARGUMENT, "bad", {"-"}, Reason::kNotRetryable, -1},
      "never");
}

TEST_P(UnaryPushbackTest, A17_RetryInfo) {
  Use(TestPolicy());
  const auto ok = AttemptScript::Ok();
  server().Script("waits",
                  {Aborted().WithRetryInfo(absl::Microseconds(150000.1)), ok});
  server().Script("zero", {Aborted().WithRetryInfo(absl::ZeroDuration()), ok});
  server().Script("negative", {Aborted().WithRetryInfo(-absl::Seconds(1)), ok});
  server().Script(
      "both",
      {Aborted().WithRetryInfo(absl::Milliseconds(150)).WithPushback("30"),
       ok});
  for (const char* id : {"waits", "zero", "negative", "both"}) {
    SCOPED_TRACE(id);
    Expect(Call(id), {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0}, id);
  }
  EXPECT_THAT(Delays(), ElementsAre(AllOf(Ge(151), Lt(151 * 1.2)), 20, 20, 30));
  EXPECT_THAT(Sources(),
              ElementsAre(DelaySource::kRetryInfo, DelaySource::kBackoff,
                          DelaySource::kBackoff, DelaySource::kPushback));
  EXPECT_GE(GapBefore(2, "waits"), absl::Milliseconds(151));
}

TEST_P(UnaryPushbackTest, A17_RetryInfoOfAYear) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted().WithRetryInfo(365 * absl::Hours(24))});
  Expect(Call(), {StatusCode::ABORTED,
                  "no" + Why(Reason::kPushback, 1),
                  {"-"},
                  Reason::kPushback,
                  -1});
}

TEST_P(UnaryPushbackTest, A18_PushbackBeyondTheDeadline) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted().WithPushback("59000")});
  const EchoResult result = Call(kCall, WithDeadline(absl::Seconds(20)));
  Expect(result, {StatusCode::ABORTED,
                  "no" + Why(Reason::kDeadline, 1),
                  {"-"},
                  Reason::kDeadline,
                  -1});
  EXPECT_LT(result.duration, kTooLate);
}

INSTANTIATE_TEST_SUITE_P(, UnaryPushbackTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
