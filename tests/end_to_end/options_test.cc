// Options of a toolkit, and throttling that only reports.
#include <gmock/gmock.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/core/mutex.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OptionsTest : public EndToEndTest {
 protected:
  static AttemptScript Aborted() {
    return AttemptScript::Fail(StatusCode::ABORTED, "no");
  }
  EchoResult CallOnce() { return Call(CallStyle::kSync); }

  // Options that keep what is logged.
  Options Logging() {
    Options options;
    options.log = [this](absl::string_view line) {
      MutexLock lock(mu_);
      lines_.emplace_back(line);
    };
    return options;
  }
  // What was logged since the last time.
  std::vector<std::string> Logged() {
    MutexLock lock(mu_);
    return std::exchange(lines_, {});
  }

 private:
  Mutex mu_;
  std::vector<std::string> lines_ ABSL_GUARDED_BY(mu_);
};

TEST_F(OptionsTest, StatusesStayAsTheServerSentThem) {
  Options options;
  options.annotate_status = false;
  Use(TestPolicy(), options);
  server().Script(kCall, {Aborted()});
  Expect(
      CallOnce(),
      {StatusCode::ABORTED, "no", {"-", "1", "2"}, Reason::kMaxAttempts, -3});
}

TEST_F(OptionsTest, AttemptsAreClampedWithAWarning) {
  Options options = Logging();
  options.max_attempts_limit = 2;
  Use(TestPolicy(), options);
  EXPECT_THAT(Logged(), Contains(HasSubstr("maxAttempts")));
  server().Script(kCall, {Aborted()});
  Expect(CallOnce(), {StatusCode::ABORTED,
                      "no" + Why(Reason::kMaxAttempts, 2),
                      {"-", "1"},
                      Reason::kMaxAttempts,
                      -2});
}

TEST_F(OptionsTest, AServersDelayAboveTheLimitEndsTheCall) {
  Options options;
  options.max_server_delay = absl::Milliseconds(100);
  Use(TestPolicy(), options);
  server().Script(kCall, {Aborted().WithPushback("101")});
  Expect(CallOnce(), {StatusCode::ABORTED,
                      "no" + Why(Reason::kPushback, 1),
                      {"-"},
                      Reason::kPushback,
                      -1});
}

TEST_F(OptionsTest, EachWarningIsLoggedOncePerCreateAndReload) {
  TestPolicy policy;
  policy.throttling = "";
  Use(policy, Logging());
  const std::vector<std::string> at_create = Logged();
  EXPECT_THAT(at_create, ElementsAre(HasSubstr("retryThrottling")));
  const auto config = ServiceConfig::FromJson(policy.Json());
  EXPECT_TRUE(toolkit().Reload(*config).ok());
  EXPECT_EQ(Logged(), at_create);
}

// A channel keeps core's part from its creation, however often the config
// changes.
TEST_F(OptionsTest, AReloadThatDiffersFromTheChannelsSaysWhere) {
  Use(TestPolicy(), Logging());
  Logged();
  TestPolicy other;
  other.top_level = R"("loadBalancingConfig":[{"round_robin":{}}])";
  const auto reload = [this](const TestPolicy& policy) {
    const auto config = ServiceConfig::FromJson(policy.Json());
    EXPECT_TRUE(toolkit().Reload(*config).ok());
    return Logged();
  };
  EXPECT_THAT(reload(other), ElementsAre(HasSubstr("loadBalancingConfig")));
  EXPECT_THAT(reload(other), ElementsAre(HasSubstr("loadBalancingConfig")));
  EXPECT_THAT(reload(TestPolicy()), IsEmpty());
}

TEST_F(OptionsTest, AMovedFromConfigIsAnError) {
  Use(TestPolicy());
  ServiceConfig config = ServiceConfig::FromJson("{}").value();
  const ServiceConfig taken = std::move(config);
  EXPECT_FALSE(toolkit().Reload(config).ok());  // NOLINT: on purpose.
  EXPECT_FALSE(Toolkit::Create(config).ok());
  EXPECT_TRUE(toolkit().Reload(taken).ok());
}

TEST_F(OptionsTest, ThrottlingThatOnlyReportsLetsRetriesPass) {
  TestPolicy policy;
  policy.throttling = R"({"maxTokens":2,"tokenRatio":1})";
  policy.top_level = R"("retrykit":{"throttlingMode":"REPORT_ONLY"})";
  Use(policy, Logging());
  server().Script(kCall, {Aborted(), AttemptScript::Ok()});
  Expect(CallOnce(), {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  EXPECT_EQ(observer().Count(CallEvent::Type::kBudgetWouldRefuse), 1);
}

}  // namespace
}  // namespace retrykit
