// F04: what `retrykit simulate` says of a policy is what a real server sees.
#include "cli/simulator/simulation.h"

#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/seeded_random.h"
#include "interceptors/config/config.h"
#include "interceptors/retrykit.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/support/attempt_script.h"
#include "tests/support/scripted_server.h"

namespace retrykit {
namespace {

constexpr int kCalls = 1500;
constexpr int kMostAttempts = 4;

std::string Config(const std::string& throttling) {
  return absl::StrCat("{", throttling, R"("methodConfig": [{"name": [{}],
    "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.001s",
      "maxBackoff": "0.002s", "backoffMultiplier": 1.5,
      "retryableStatusCodes": ["UNAVAILABLE"]}}]})");
}

// Each attempt of each call fails with that probability.
void ScriptFailures(double share, ScriptedServer& server) {
  cli::SeededRandom random(20210823);
  for (int call = 0; call < kCalls; ++call) {
    std::vector<AttemptScript> attempts;
    for (int i = 0; i < kMostAttempts; ++i) {
      attempts.push_back(random.Unit() < share
                             ? AttemptScript::Fail(grpc::UNAVAILABLE)
                             : AttemptScript::Ok());
    }
    server.Script(absl::StrCat("call", call), attempts);
  }
}

double RealAttemptsPerCall(const std::string& config, double share) {
  ScriptedServer server;
  ScriptFailures(share, server);
  Options options;
  options.log = [](absl::string_view) {};
  auto toolkit = Toolkit::Create(*ServiceConfig::FromJson(config), options);
  auto channel = (*toolkit)->CreateChannel(server.address(),
                                           grpc::InsecureChannelCredentials());
  const auto stub = testing::Echo::NewStub(*channel);
  for (int call = 0; call < kCalls; ++call) {
    grpc::ClientContext context;
    testing::EchoRequest request;
    testing::EchoResponse response;
    request.set_id(absl::StrCat("call", call));
    stub->Unary(&context, request, &response).IgnoreError();
  }
  return static_cast<double>(server.log().total()) / kCalls;
}

// The same calls, one after the other, of one client.
double SimulatedAttemptsPerCall(const std::string& config, double share) {
  const auto parsed = ParseConfig(config);
  cli::SimulatedPolicy policy;
  policy.method = *parsed->table->Find("/retrykit.testing.Echo/Unary");
  policy.throttling = parsed->throttling;
  cli::Scenario scenario;
  scenario.duration = absl::Seconds(kCalls);
  scenario.clients = 1;
  scenario.rate = 1;
  scenario.poisson = false;
  cli::Phase failures;
  failures.to = scenario.duration;
  failures.share = share;
  scenario.phases = {failures};
  const cli::Measurements measured =
      cli::Simulate(scenario, policy, 1, nullptr);
  return static_cast<double>(measured.attempts()) /
         static_cast<double>(measured.offered());
}

// The deviation of a call's attempts is about one: that of the mean of 1,500
// calls is 0.026, on either side. Four times that is allowed.
constexpr double kTolerance = 0.1;

TEST(SimulationTest, F04_RetriesAgreeWithARealServer) {
  const std::string config = Config("");
  const double real = RealAttemptsPerCall(config, 0.5);
  EXPECT_NEAR(real, 1.875, kTolerance);
  EXPECT_NEAR(SimulatedAttemptsPerCall(config, 0.5), real, kTolerance);
}

// Without a budget there would be 1.417 attempts per call. This one is emptied
// by a few hundred calls and then holds nearly all retries back.
TEST(SimulationTest, F04_TheBudgetAgreesWithARealServer) {
  const std::string config =
      Config(R"("retryThrottling": {"maxTokens": 20, "tokenRatio": 0.35}, )");
  const double real = RealAttemptsPerCall(config, 0.3);
  EXPECT_GT(real, 1.01);
  EXPECT_LT(real, 1.2);
  EXPECT_NEAR(SimulatedAttemptsPerCall(config, 0.3), real, kTolerance);
}

}  // namespace
}  // namespace retrykit
