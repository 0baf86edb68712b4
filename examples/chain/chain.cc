// Three layers that each try three times, in processes of their own, above a
// service that never works. How many attempts reach it for one call?
//
//   bazel run //examples/chain
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/chain/servers.h"
#include "examples/processes/server_process.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

ABSL_FLAG(std::string, serve, "",
          "for the program itself: be a server on this address");
ABSL_FLAG(std::string, next, "", "the address below; empty: be the lowest");
ABSL_FLAG(std::string, allow, "allow.json", "config with nestedRetries ALLOW");
ABSL_FLAG(std::string, suppress, "suppress.json",
          "config with nestedRetries SUPPRESS");
ABSL_FLAG(std::string, config, "", "for the program itself: a layer's config");
ABSL_FLAG(bool, stop_upstream, false, "tell the layer above to give up too");

namespace chain {
namespace {

using retrykit::testing::Echo;
using retrykit::testing::EchoRequest;
using retrykit::testing::EchoResponse;

constexpr int kLayers = 3;
constexpr int kCalls = 5;
constexpr double kUnsuppressed = 27;  // 3 * 3 * 3.

// On a plain channel, which does not retry.
EchoResponse CallOnce(const std::string& address, const std::string& id) {
  const auto channel =
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  const auto stub = Echo::NewStub(channel);
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(10));
  EchoRequest request;
  request.set_id(id);
  EchoResponse response;
  stub->Unary(&context, request, &response);
  return response;
}

// gRPC would wait a second after a refused connection.
void WaitUntilUp(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                            arguments)
      ->WaitForConnected(std::chrono::system_clock::now() +
                         std::chrono::seconds(10));
}

// From the service up.
std::vector<std::unique_ptr<examples::ServerProcess>> StartChain(
    const std::vector<std::string>& flags) {
  std::vector<std::unique_ptr<examples::ServerProcess>> chain;
  chain.push_back(std::make_unique<examples::ServerProcess>());
  chain.back()->Start();
  WaitUntilUp(chain.back()->address());
  for (int layer = 0; layer < kLayers; ++layer) {
    std::vector<std::string> own = flags;
    own.push_back(absl::StrCat("--next=", chain.back()->address()));
    chain.push_back(std::make_unique<examples::ServerProcess>(own));
    chain.back()->Start();
    WaitUntilUp(chain.back()->address());
  }
  return chain;
}

double AttemptsPerCall(const std::vector<std::string>& flags) {
  const auto chain = StartChain(flags);
  for (int i = 0; i < kCalls; ++i) CallOnce(chain.back()->address(), "call");
  const std::string count =
      CallOnce(chain.front()->address(), kCount).message();
  return std::atof(count.c_str()) / kCalls;
}

int Run() {
  absl::PrintF(
      "%d calls through %d layers of 3 attempts each; attempts that reach the "
      "service per call:\n",
      kCalls, kLayers);
  const std::string allow =
      absl::StrCat("--config=", absl::GetFlag(FLAGS_allow));
  const std::string suppressing =
      absl::StrCat("--config=", absl::GetFlag(FLAGS_suppress));
  const double without = AttemptsPerCall({allow});
  absl::PrintF("  each layer for itself          %g\n", without);
  const double suppress = AttemptsPerCall({suppressing});
  absl::PrintF("  SUPPRESS                       %g\n", suppress);
  const double both = AttemptsPerCall({suppressing, "--stop_upstream"});
  absl::PrintF("  SUPPRESS, StopUpstreamRetries  %g\n", both);
  absl::PrintF("chain: without=%g suppress=%g both=%g\n", without, suppress,
               both);
  return without == kUnsuppressed && suppress <= 7 && both <= 3 ? 0 : 1;
}

}  // namespace
}  // namespace chain

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const std::string address = absl::GetFlag(FLAGS_serve);
  if (address.empty()) return chain::Run();
  examples::EndWithParent();
  const std::string next = absl::GetFlag(FLAGS_next);
  if (next.empty()) return chain::RunFailingServer(address);
  return chain::RunLayer(address, next, absl::GetFlag(FLAGS_config),
                         absl::GetFlag(FLAGS_stop_upstream));
}
