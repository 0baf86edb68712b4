// The rules that need no server: which labels events get.
#include "interceptors/telemetry/prometheus_observer.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"
#include "interceptors/engine/events.h"
#include "prometheus/counter.h"
#include "prometheus/registry.h"
#include "prometheus/text_serializer.h"
#include "tests/support/metrics_page.h"
#include "tests/support/worker_threads.h"

namespace retrykit {
namespace {

using Type = CallEvent::Type;

class PrometheusObserverTest : public ::testing::Test {
 protected:
  static CallEvent EventOf(Type type) {
    CallEvent event;
    event.type = type;
    event.call = 7;
    event.target = "payments";
    event.method = "/p.P/Charge";
    event.entry = "/p.P/";
    event.attempt = 1;
    return event;
  }
  void Tell(const CallEvent& event) { observer_->OnEvent(event); }
  double Value(const std::string& sample) const { return Page().Value(sample); }
  MetricsPage Page() const {
    return MetricsPage(
        prometheus::TextSerializer().Serialize(registry_->Collect()));
  }

  const std::shared_ptr<prometheus::Registry> registry_ =
      std::make_shared<prometheus::Registry>();
  const std::shared_ptr<Observer> observer_ =
      *MakePrometheusObserver(registry_);
};

TEST_F(PrometheusObserverTest, NamesAndTypesAreThoseOfTheSpec) {
  for (const Type type :
       {Type::kRetryScheduled, Type::kRetrySuppressed, Type::kAttemptEnded,
        Type::kBreakerChanged, Type::kConfigReloaded, Type::kCallEnded}) {
    CallEvent event = EventOf(type);
    event.attempt = 2;
    event.attempt_kind = AttemptKind::kHedge;
    event.budget_max_milli_tokens = 1000;
    Tell(event);
  }
  const std::map<std::string, std::string> expected = {
      {"retrykit_calls_total", "counter"},
      {"retrykit_attempts_total", "counter"},
      {"retrykit_call_duration_seconds", "histogram"},
      {"retrykit_attempt_duration_seconds", "histogram"},
      {"retrykit_retry_delay_seconds", "histogram"},
      {"retrykit_retries_suppressed_total", "counter"},
      {"retrykit_retry_success_total", "counter"},
      {"retrykit_budget_tokens", "gauge"},
      {"retrykit_budget_max_tokens", "gauge"},
      {"retrykit_hedges_total", "counter"},
      {"retrykit_circuit_state", "gauge"},
      {"retrykit_circuit_transitions_total", "counter"},
      {"retrykit_circuit_rejections_total", "counter"},
      {"retrykit_config_reloads_total", "counter"}};
  EXPECT_EQ(Page().types(), expected);
}

TEST_F(PrometheusObserverTest, AMethodWithoutAPolicyStandsAsOther) {
  CallEvent event = EventOf(Type::kCallEnded);
  event.entry = "";
  Tell(event);
  EXPECT_EQ(Value("retrykit_calls_total{code=\"OK\",method=\"other\","
                  "target=\"payments\"}"),
            1);
}

TEST_F(PrometheusObserverTest, TargetsAfterTheHundredthStandAsOther) {
  for (int i = 1; i <= 103; ++i) {
    const std::string target = absl::StrCat("target", i);
    CallEvent event = EventOf(Type::kCallEnded);
    event.target = target;
    Tell(event);
    Tell(event);
  }
  const MetricsPage page = Page();
  const auto calls = [&page](const std::string& target) {
    return page.Value(
        "retrykit_calls_total{code=\"OK\",method=\"/p.P/Charge\","
        "target=\"" +
        target + "\"}");
  };
  EXPECT_EQ(calls("target1"), 2);
  EXPECT_EQ(calls("target100"), 2);
  EXPECT_EQ(calls("target101"), -1);
  EXPECT_EQ(calls("other"), 6);
}

TEST_F(PrometheusObserverTest, MethodsBeyondTheLimitStandAsOther) {
  for (int i = 0; i < 2050; ++i) {
    const std::string method = absl::StrCat("/p.P/M", i);
    CallEvent event = EventOf(Type::kCallEnded);
    event.method = method;
    Tell(event);
  }
  EXPECT_EQ(Value("retrykit_calls_total{code=\"OK\",method=\"other\","
                  "target=\"payments\"}"),
            2);
}

TEST_F(PrometheusObserverTest, AHedgeWinsLosesOrFails) {
  CallEvent event = EventOf(Type::kAttemptEnded);
  event.attempt_kind = AttemptKind::kHedge;
  Tell(event);
  event.code = absl::StatusCode::kUnavailable;
  Tell(event);
  event.code = absl::StatusCode::kCancelled;
  event.reason = Reason::kLost;
  Tell(event);
  event.reason = Reason::kCancelled;
  Tell(event);
  const MetricsPage page = Page();
  const auto hedges = [&page](const std::string& outcome) {
    return page.Value(
        "retrykit_hedges_total{method=\"/p.P/Charge\",outcome=\"" + outcome +
        "\",target=\"payments\"}");
  };
  EXPECT_EQ(hedges("won"), 1);
  EXPECT_EQ(hedges("failed"), 1);
  EXPECT_EQ(hedges("lost"), 2);
}

TEST_F(PrometheusObserverTest, ABreakerOfAMethodNamesIt) {
  CallEvent event = EventOf(Type::kBreakerChanged);
  event.breaker_scope = BreakerScope::kMethod;
  event.to = CircuitBreaker::State::kOpen;
  Tell(event);
  const std::string labels = "entry=\"/p.P/\",method=\"/p.P/Charge\",";
  EXPECT_EQ(Value("retrykit_circuit_state{" + labels +
                  "state=\"open\",target=\"payments\"}"),
            1);
  EXPECT_EQ(Value("retrykit_circuit_state{" + labels +
                  "state=\"closed\",target=\"payments\"}"),
            0);
  EXPECT_EQ(Value("retrykit_circuit_transitions_total{entry=\"/p.P/\","
                  "from=\"closed\",method=\"/p.P/Charge\","
                  "target=\"payments\",to=\"open\"}"),
            1);
}

TEST_F(PrometheusObserverTest, ABreakerIsSeenFromItsFirstCallOn) {
  CallEvent event = EventOf(Type::kCallEnded);
  event.breaker_scope = BreakerScope::kEntry;
  Tell(event);
  EXPECT_EQ(Value("retrykit_circuit_state{entry=\"/p.P/\",state=\"closed\","
                  "target=\"payments\"}"),
            1);
  EXPECT_EQ(Value("retrykit_circuit_rejections_total{entry=\"/p.P/\","
                  "target=\"payments\"}"),
            0);
}

TEST_F(PrometheusObserverTest, ACodeThatIsNotGrpcsCountsAsUnknown) {
  CallEvent event = EventOf(Type::kCallEnded);
  event.code = static_cast<absl::StatusCode>(99);
  Tell(event);
  EXPECT_EQ(Value("retrykit_calls_total{code=\"UNKNOWN\","
                  "method=\"/p.P/Charge\",target=\"payments\"}"),
            1);
}

TEST_F(PrometheusObserverTest, ReloadsCountByResult) {
  CallEvent event;
  event.type = Type::kConfigReloaded;
  Tell(event);
  event.code = absl::StatusCode::kInvalidArgument;
  Tell(event);
  Tell(event);
  EXPECT_EQ(Value("retrykit_config_reloads_total{result=\"ok\"}"), 1);
  EXPECT_EQ(Value("retrykit_config_reloads_total{result=\"refused\"}"), 2);
}

TEST_F(PrometheusObserverTest, ThreadsThatMeetNewMethodsAtOnceLoseNothing) {
  WorkerThreads threads(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.Run([this] {
      for (int i = 0; i < 1000; ++i) {
        const std::string method = absl::StrCat("/p.P/M", i % 50);
        CallEvent event = EventOf(Type::kCallEnded);
        event.method = method;
        Tell(event);
      }
    });
  }
  threads.Drain();
  double calls = 0;
  const MetricsPage page = Page();
  for (const auto& [sample, value] : page.samples()) {
    if (sample.rfind("retrykit_calls_total", 0) == 0) calls += value;
  }
  EXPECT_EQ(calls, 4000);
}

TEST(MakePrometheusObserverTest, ARegistryWithANameOfAnotherTypeIsRefused) {
  const auto registry = std::make_shared<prometheus::Registry>();
  prometheus::BuildCounter().Name("retrykit_budget_tokens").Register(*registry);
  const auto observer = MakePrometheusObserver(registry);
  EXPECT_EQ(observer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MakePrometheusObserver(nullptr).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace retrykit
