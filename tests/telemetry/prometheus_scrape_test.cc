// Scripted calls through a toolkit to a real server, and what a scrape over
// HTTP says of them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "interceptors/telemetry/prometheus_endpoint.h"
#include "interceptors/telemetry/prometheus_observer.h"
#include "prometheus/registry.h"
#include "tests/support/end_to_end_test.h"
#include "tests/support/metrics_page.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

constexpr char kEntry[] = "/retrykit.testing.Echo/";
constexpr char kMethod[] = "/retrykit.testing.Echo/Unary";

class PrometheusScrapeTest : public EndToEndTest {
 protected:
  void SetUp() override {
    auto endpoint = PrometheusEndpoint::Start("127.0.0.1:0", registry_);
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    endpoint_ = *std::move(endpoint);
  }

  void UseMetrics(const TestPolicy& policy) {
    const auto metrics = MakePrometheusObserver(registry_);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    Options options;
    options.observers.push_back(*metrics);
    Use(policy, std::move(options));
  }

  StatusCode CodeOf(const std::string& id) {
    return Call(CallStyle::kSync, id).status.error_code();
  }
  MetricsPage Scrape() const { return MetricsPage::Get(endpoint_->port()); }

  // A sample of the method's, breaker's or target's. Labels are sorted by name:
  // more of them stand before, between and after those.
  std::string OfMethod(const std::string& name, const std::string& before = "",
                       const std::string& between = "") {
    return absl::StrCat(name, "{", before, "method=\"", kMethod, "\",", between,
                        "target=\"", server().address(), "\"}");
  }
  std::string OfBreaker(const std::string& name, const std::string& between,
                        const std::string& after = "") {
    return absl::StrCat(name, "{entry=\"", kEntry, "\",", between, "target=\"",
                        server().address(), "\"", after, "}");
  }
  std::string OfTarget(const std::string& name) {
    return absl::StrCat(name, "{target=\"", server().address(), "\"}");
  }

  const std::shared_ptr<prometheus::Registry> registry_ =
      std::make_shared<prometheus::Registry>();
  std::unique_ptr<PrometheusEndpoint> endpoint_;
};

TEST_F(PrometheusScrapeTest, CountersAgreeWithRetriedCalls) {
  TestPolicy policy;
  policy.throttling = R"({"maxTokens":100,"tokenRatio":0.5})";
  UseMetrics(policy);
  server().Script("retried", {AttemptScript::Fail(StatusCode::ABORTED),
                              AttemptScript::Ok()});
  server().Script("pushed",
                  {AttemptScript::Fail(StatusCode::ABORTED).WithPushback("1"),
                   AttemptScript::Ok()});
  server().Script("hopeless", {AttemptScript::Fail(StatusCode::ABORTED)});
  EXPECT_EQ(CodeOf("fine"), StatusCode::OK);
  EXPECT_EQ(CodeOf("retried"), StatusCode::OK);
  EXPECT_EQ(CodeOf("pushed"), StatusCode::OK);
  EXPECT_EQ(CodeOf("hopeless"), StatusCode::ABORTED);

  const MetricsPage page = Scrape();
  const auto value = [&](const std::string& name, const std::string& before,
                         const std::string& between = "") {
    return page.Value(OfMethod(name, before, between));
  };
  EXPECT_EQ(value("retrykit_calls_total", "code=\"OK\","), 3);
  EXPECT_EQ(value("retrykit_calls_total", "code=\"ABORTED\","), 1);
  const std::string attempts = "retrykit_attempts_total";
  EXPECT_EQ(value(attempts, "code=\"OK\",kind=\"first\","), 1);
  EXPECT_EQ(value(attempts, "code=\"OK\",kind=\"retry\","), 2);
  EXPECT_EQ(value(attempts, "code=\"ABORTED\",kind=\"first\","), 3);
  EXPECT_EQ(value(attempts, "code=\"ABORTED\",kind=\"retry\","), 2);
  EXPECT_EQ(value("retrykit_call_duration_seconds_count", ""), 4);
  EXPECT_EQ(value("retrykit_attempt_duration_seconds_count", ""), 8);
  const std::string delays = "retrykit_retry_delay_seconds";
  EXPECT_EQ(value(delays + "_count", "", "source=\"backoff\","), 3);
  EXPECT_EQ(value(delays + "_count", "", "source=\"pushback\","), 1);
  EXPECT_DOUBLE_EQ(value(delays + "_sum", "", "source=\"backoff\","), 0.08);
  EXPECT_EQ(value("retrykit_retry_success_total", ""), 2);
  EXPECT_EQ(value("retrykit_retries_suppressed_total", "",
                  "reason=\"max_attempts\","),
            1);
  EXPECT_EQ(page.types().at("retrykit_calls_total"), "counter");
  EXPECT_EQ(page.types().at("retrykit_budget_tokens"), "gauge");
  EXPECT_EQ(page.types().at(delays), "histogram");
  EXPECT_EQ(page.Value(OfTarget("retrykit_budget_tokens")), 96);
  EXPECT_EQ(page.Value(OfTarget("retrykit_budget_max_tokens")), 100);
}

TEST_F(PrometheusScrapeTest, HedgesWinLoseAndFail) {
  TestPolicy policy;
  policy.max_attempts = 2;
  policy.Hedge();
  UseMetrics(policy);
  server().Script("won", {AttemptScript::Silent(), AttemptScript::Ok()});
  server().Script("lost", {AttemptScript::Ok().AfterGate("hedged"),
                           AttemptScript::Silent()});
  server().Script("failed", {AttemptScript::Fail(StatusCode::UNAVAILABLE)});
  EXPECT_EQ(CodeOf("won"), StatusCode::OK);
  const auto lost = NewCall(CallStyle::kCq, "lost");
  lost->Start();
  EXPECT_TRUE(server().log().WaitForAttempts("lost", 2));
  server().OpenGate("hedged");
  EXPECT_TRUE(lost->Wait().status.ok());
  EXPECT_EQ(CodeOf("failed"), StatusCode::UNAVAILABLE);

  const MetricsPage page = Scrape();
  for (const char* outcome : {"won", "lost", "failed"}) {
    EXPECT_EQ(page.Value(OfMethod("retrykit_hedges_total", "",
                                  absl::StrCat("outcome=\"", outcome, "\","))),
              1)
        << outcome;
  }
}

TEST_F(PrometheusScrapeTest, ABreakerThatOpensIsSeen) {
  TestPolicy policy;
  policy.retries = false;
  policy.circuit_breaker =
      R"({"consecutiveFailures":1,"openDuration":"600s",
          "maxOpenDuration":"600s"})";
  UseMetrics(policy);
  server().Script("broken", {AttemptScript::Fail(StatusCode::INTERNAL)});
  const std::string state = "retrykit_circuit_state";
  EXPECT_EQ(CodeOf("fine"), StatusCode::OK);
  EXPECT_EQ(Scrape().Value(OfBreaker(state, "state=\"closed\",")), 1);
  EXPECT_EQ(CodeOf("broken"), StatusCode::INTERNAL);
  EXPECT_EQ(CodeOf("refused"), StatusCode::UNAVAILABLE);

  const MetricsPage page = Scrape();
  EXPECT_EQ(page.Value(OfBreaker(state, "state=\"closed\",")), 0);
  EXPECT_EQ(page.Value(OfBreaker(state, "state=\"open\",")), 1);
  EXPECT_EQ(page.Value(OfBreaker(state, "state=\"half_open\",")), 0);
  EXPECT_EQ(page.Value(OfBreaker("retrykit_circuit_transitions_total",
                                 "from=\"closed\",", ",to=\"open\"")),
            1);
  EXPECT_EQ(page.Value(OfBreaker("retrykit_circuit_rejections_total", "")), 1);
}

TEST_F(PrometheusScrapeTest, ABreakerPerMethodNamesTheMethod) {
  TestPolicy policy;
  policy.circuit_breaker = R"({"consecutiveFailures":1,"scope":"METHOD"})";
  UseMetrics(policy);
  EXPECT_EQ(CodeOf("fine"), StatusCode::OK);
  EXPECT_EQ(Scrape().Value(OfBreaker(
                "retrykit_circuit_state",
                absl::StrCat("method=\"", kMethod, "\",state=\"closed\","))),
            1);
}

TEST_F(PrometheusScrapeTest, AReloadCounts) {
  UseMetrics(TestPolicy());
  const auto config = ServiceConfig::FromJson(TestPolicy().Json());
  ASSERT_TRUE(config.ok());
  ASSERT_TRUE(toolkit().Reload(*config).ok());
  EXPECT_EQ(Scrape().Value("retrykit_config_reloads_total{result=\"ok\"}"), 1);
}

TEST_F(PrometheusScrapeTest, ABusyMetricsPortIsAnErrorAndCallsGoOn) {
  const std::string address = absl::StrCat("127.0.0.1:", endpoint_->port());
  const auto second = PrometheusEndpoint::Start(address, registry_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(
      absl::StartsWith(second.status().message(),
                       absl::StrCat("metrics cannot be served on ", address)))
      << second.status();
  UseMetrics(TestPolicy());
  EXPECT_EQ(CodeOf("fine"), StatusCode::OK);
}

TEST(PrometheusEndpointTest, ANullRegistryIsRefused) {
  EXPECT_EQ(PrometheusEndpoint::Start("127.0.0.1:0", nullptr).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace retrykit
