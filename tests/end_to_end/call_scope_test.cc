// CallScope: what one call overrides, and its report.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using ::testing::SizeIs;

AttemptScript Aborted() {
  return AttemptScript::Fail(StatusCode::ABORTED, "no");
}

class CallScopeTest : public UnaryEndToEndTest {
 protected:
  // A call with a scope that `prepare` sets up.
  template <typename Prepare>
  EchoResult CallWith(const Prepare& prepare) {
    auto call = NewCall();
    CallScope scope(call->context());
    prepare(scope);
    call->Start();
    const EchoResult result = call->Wait();
    report_ = scope.report();
    return result;
  }
  // A policy for another service alone.
  static TestPolicy NoPolicy() {
    TestPolicy policy;
    policy.name = R"([{"service":"other.Service"}])";
    return policy;
  }

  CallReport report_;
};

TEST_P(CallScopeTest, ThePredicateAddsARetry) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Fail(StatusCode::INTERNAL, "no")
                              .WithTrailingMetadata("again", "yes"),
                          AttemptScript::Ok()});
  Expect(CallWith([](CallScope& scope) {
           scope.set_retry_predicate(
               [](const grpc::Status& status,
                  const TrailingMetadata& trailing) -> absl::optional<bool> {
                 if (status.error_code() != StatusCode::INTERNAL)
                   return absl::nullopt;
                 return trailing.count("again") > 0;
               });
         }),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
}

TEST_P(CallScopeTest, ThePredicateVetoesARetry) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted()});
  Expect(CallWith([](CallScope& scope) {
           scope.set_retry_predicate(
               [](const grpc::Status&, const TrailingMetadata&) {
                 return absl::make_optional(false);
               });
         }),
         {StatusCode::ABORTED, "no", {"-"}, Reason::kNotRetryable, 0});
}

TEST_P(CallScopeTest, ThePredicateMayHaveNoOpinion) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  Expect(CallWith([](CallScope& scope) {
           scope.set_retry_predicate(
               [](const grpc::Status&,
                  const TrailingMetadata&) -> absl::optional<bool> {
                 return absl::nullopt;
               });
         }),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
}

TEST_P(CallScopeTest, NoRetries) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted()});
  Expect(CallWith([](CallScope& scope) { scope.set_no_retries(); }),
         {StatusCode::ABORTED, "no", {"-"}, Reason::kMaxAttempts, -1});
}

TEST_P(CallScopeTest, OtherLimits) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted()});
  Expect(CallWith([](CallScope& scope) { scope.set_max_attempts(2); }),
         {StatusCode::ABORTED,
          "no" + Why(Reason::kMaxAttempts, 2),
          {"-", "1"},
          Reason::kMaxAttempts,
          -2});
}

TEST_P(CallScopeTest, NoMoreAttemptsThanTheOptionsAllow) {
  TestPolicy policy;
  policy.SetBackoff("0.001s");
  Use(policy);
  server().Script(kCall, {Aborted()});
  Expect(CallWith([](CallScope& scope) { scope.set_max_attempts(100); }),
         {StatusCode::ABORTED,
          "no" + Why(Reason::kMaxAttempts, 5),
          {"-", "1", "2", "3", "4"},
          Reason::kMaxAttempts,
          -5});
}

TEST_P(CallScopeTest, AnotherPerAttemptTimeout) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Silent(), AttemptScript::Ok()});
  Expect(CallWith([](CallScope& scope) {
           scope.set_per_attempt_timeout(absl::Milliseconds(300));
         }),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_LE(server().log().Attempts(kCall).at(0).time_left, absl::Seconds(1));
}

TEST_P(CallScopeTest, AnotherTimeout) {
  Use(TestPolicy());
  server().Script(kCall, {AttemptScript::Silent()});
  const EchoResult result = CallWith(
      [](CallScope& scope) { scope.set_timeout(absl::Milliseconds(300)); });
  EXPECT_EQ(result.status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_GE(result.duration, absl::Milliseconds(250));
  ExpectAttempts(kCall, 1);
}

TEST_P(CallScopeTest, RetriesWithoutAPolicyAreHeldBackByTheBudgetToo) {
  TestPolicy policy = NoPolicy();
  policy.throttling = R"({"maxTokens":4,"tokenRatio":1})";
  Use(policy);
  server().Script(kCall, {Aborted()});
  Expect(CallWith([](CallScope& scope) {
           scope.set_max_attempts(5);
           scope.set_retry_predicate(
               [](const grpc::Status&, const TrailingMetadata&) {
                 return absl::make_optional(true);
               });
         }),
         {StatusCode::ABORTED,
          "no" + Why(Reason::kBudget, 2),
          {"-", "1"},
          Reason::kBudget,
          -2});
}

TEST_P(CallScopeTest, TheReportHasEveryAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  Expect(CallWith([](CallScope&) {}),
         {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_TRUE(report_.complete);
  EXPECT_TRUE(report_.status.ok());
  EXPECT_EQ(report_.reason, Reason::kSuccess);
  ASSERT_THAT(report_.attempts, SizeIs(2));
  const AttemptReport& first = report_.attempts[0];
  EXPECT_EQ(first.number, 1);
  EXPECT_EQ(first.kind, AttemptKind::kFirst);
  EXPECT_EQ(first.status.error_code(), StatusCode::ABORTED);
  EXPECT_EQ(first.status.error_message(), "no");
  EXPECT_THAT(first.peer, HasSubstr(server().address()));
  const AttemptReport& second = report_.attempts[1];
  EXPECT_EQ(second.number, 2);
  EXPECT_EQ(second.kind, AttemptKind::kRetry);
  EXPECT_EQ(second.delay, absl::Milliseconds(20));
  EXPECT_EQ(second.delay_source, DelaySource::kBackoff);
  EXPECT_GE(second.start, first.duration + absl::Milliseconds(20));
  EXPECT_GE(report_.duration, second.start + second.duration);
}

TEST_P(CallScopeTest, TheReportOfACallThatIsOnlyWatched) {
  Use(NoPolicy());
  server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no")});
  EXPECT_EQ(CallWith([](CallScope&) {}).status.error_code(),
            StatusCode::ABORTED);
  EXPECT_TRUE(report_.complete);
  ASSERT_THAT(report_.attempts, SizeIs(1));
  EXPECT_THAT(report_.attempts[0].peer, HasSubstr(server().address()));
  EXPECT_EQ(report_.attempts[0].status.error_code(), StatusCode::ABORTED);
  ExpectAttempts(kCall, 1);
}

INSTANTIATE_TEST_SUITE_P(, CallScopeTest, ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
