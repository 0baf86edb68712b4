// A server with a long tail, called plainly and hedged: after a fixed delay,
// and after the time within which 95 % of the calls have been answered of late.
//
//   bazel run //examples/hedging
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "examples/hedging/tail_server.h"
#include "examples/processes/server_process.h"
#include "interceptors/retrykit.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"

ABSL_FLAG(std::string, fixed, "fixed.json", "config with a fixed delay");
ABSL_FLAG(std::string, percentile, "percentile.json",
          "config with a percentile");
ABSL_FLAG(std::string, serve, "",
          "for the program itself: be the server on this address");

namespace hedging {
namespace {

using retrykit::testing::Echo;
using retrykit::testing::EchoRequest;
using retrykit::testing::EchoResponse;

constexpr int kThreads = 4;
constexpr int kCalls = 4000;
constexpr int kWarmUp = 400;  // Calls before those that are counted.

// Counts what goes to the server.
class AttemptCount final : public retrykit::Observer {
 public:
  void OnEvent(const retrykit::CallEvent& event) override {
    if (event.type == retrykit::CallEvent::Type::kAttemptStarted) ++attempts_;
  }
  int attempts() const { return attempts_.load(); }

 private:
  std::atomic<int> attempts_{0};
};

struct Result {
  std::vector<double> sorted_ms;
  double extra_load = 0;  // Attempts beyond one per call, as a fraction.

  double At(double share) const {
    const auto rank = static_cast<double>(sorted_ms.size()) * share;
    return sorted_ms[std::min(static_cast<size_t>(rank), sorted_ms.size() - 1)];
  }
};

double CallMs(Echo::Stub& stub, int number) {
  grpc::ClientContext context;
  EchoRequest request;
  request.set_id(absl::StrCat(number));
  EchoResponse response;
  const absl::Time start = absl::Now();
  const grpc::Status status = stub.Unary(&context, request, &response);
  if (!status.ok()) {
    // A call that failed says nothing about how fast answers come.
    absl::FPrintF(stderr, "%s\n", status.error_message());
    std::_Exit(2);
  }
  return absl::ToDoubleMilliseconds(absl::Now() - start);
}

// Calls from `begin` to `end`, on a few threads.
std::vector<double> CallMany(Echo::Stub& stub, int begin, int end) {
  std::atomic<int> next{begin};
  std::vector<std::vector<double>> of_thread(kThreads);
  std::vector<std::thread> threads;
  for (std::vector<double>& own : of_thread) {
    threads.emplace_back([&] {
      for (int number = next++; number < end; number = next++) {
        own.push_back(CallMs(stub, number));
      }
    });
  }
  std::vector<double> all;
  for (int i = 0; i < kThreads; ++i) {
    threads[static_cast<size_t>(i)].join();
    const auto& own = of_thread[static_cast<size_t>(i)];
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

Result Measure(const std::shared_ptr<grpc::Channel>& channel,
               const AttemptCount& count) {
  const auto stub = Echo::NewStub(channel);
  CallMany(*stub, 0, kWarmUp);
  const int before = count.attempts();
  Result result;
  result.sorted_ms = CallMany(*stub, kWarmUp, kWarmUp + kCalls);
  const int attempts = count.attempts() - before;
  if (attempts > 0) {
    result.extra_load = static_cast<double>(attempts) / kCalls - 1;
  }
  return result;
}

absl::StatusOr<Result> MeasureHedged(const std::string& address,
                                     const std::string& config) {
  const auto count = std::make_shared<AttemptCount>();
  retrykit::Options options;
  options.observers.push_back(count);
  auto toolkit = retrykit::Toolkit::FromFile(config, std::move(options));
  if (!toolkit.ok()) return toolkit.status();
  auto channel =
      (*toolkit)->CreateChannel(address, grpc::InsecureChannelCredentials());
  if (!channel.ok()) return channel.status();
  return Measure(*channel, *count);
}

void PrintRow(const char* name, const Result& result) {
  absl::PrintF("%-20s%9.1f%9.1f%9.1f%11.1f %%\n", name, result.At(0.5),
               result.At(0.99), result.At(0.999), result.extra_load * 100);
}

int Run() {
  examples::ServerProcess server;
  server.Start();
  const auto plain_channel =
      grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials());
  plain_channel->WaitForConnected(std::chrono::system_clock::now() +
                                  std::chrono::seconds(10));
  const Result plain = Measure(plain_channel, AttemptCount());
  const auto fixed =
      MeasureHedged(server.address(), absl::GetFlag(FLAGS_fixed));
  const auto percentile =
      MeasureHedged(server.address(), absl::GetFlag(FLAGS_percentile));
  for (const auto* hedged : {&fixed, &percentile}) {
    if (hedged->ok()) continue;
    absl::FPrintF(stderr, "%s\n", hedged->status().ToString());
    return 2;
  }
  absl::PrintF("%d calls each, milliseconds\n%-20s%9s%9s%9s%13s\n", kCalls, "",
               "p50", "p99", "p99.9", "extra load");
  PrintRow("plain", plain);
  PrintRow("hedged after 10 ms", *fixed);
  PrintRow("hedged at p95", *percentile);
  absl::PrintF(
      "hedging: plain_p99_ms=%.1f fixed_p99_ms=%.1f percentile_p99_ms=%.1f "
      "fixed_extra_load=%.3f percentile_extra_load=%.3f\n",
      plain.At(0.99), fixed->At(0.99), percentile->At(0.99), fixed->extra_load,
      percentile->extra_load);
  return percentile->At(0.99) * 5 < plain.At(0.99) &&
                 percentile->extra_load <= 0.08
             ? 0
             : 1;
}

}  // namespace
}  // namespace hedging

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const std::string address = absl::GetFlag(FLAGS_serve);
  if (address.empty()) return hedging::Run();
  examples::EndWithParent();
  return hedging::RunTailServer(address);
}
