// A client and its server on a bad day: a third of the attempts is refused,
// some are never answered, and the server is killed and started again in
// between. The same calls go through a channel with retrykit and through a
// plain one.
//
//   bazel run //examples/quickstart

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "examples/processes/server_process.h"
#include "examples/quickstart/calls.h"
#include "examples/quickstart/flaky_server.h"
#include "examples/quickstart/summary.h"
#include "examples/quickstart/tally.h"
#include "interceptors/retrykit.h"

ABSL_FLAG(std::string, config, "quickstart.json", "retrykit's config");
ABSL_FLAG(std::string, serve, "",
          "for the program itself: be the server on this address");

namespace quickstart {
namespace {

constexpr int kCalls = 240;
constexpr absl::Duration kBetweenCalls = absl::Milliseconds(25);
constexpr int kServerDies = 80;      // With this call,
constexpr int kServerReturns = 104;  // and is back with this one.

// Says what happens, with the time since the start.
class Diary {
 public:
  void Say(const std::string& what) const {
    absl::PrintF("  %6.3f s  %s\n", absl::ToDoubleSeconds(absl::Now() - start_),
                 what);
    std::fflush(stdout);
  }

 private:
  const absl::Time start_ = absl::Now();
};

// All that an application needs of retrykit.
absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(
    const std::string& target, std::shared_ptr<retrykit::Observer> observer) {
  retrykit::Options options;
  options.observers.push_back(std::move(observer));
  auto toolkit = retrykit::Toolkit::FromFile(absl::GetFlag(FLAGS_config),
                                             std::move(options));
  if (!toolkit.ok()) return toolkit.status();
  return (*toolkit)->CreateChannel(target, grpc::InsecureChannelCredentials());
}

bool Connects(grpc::Channel& channel) {
  return channel.WaitForConnected(std::chrono::system_clock::time_point(
      absl::ToChronoTime(absl::Now() + absl::Seconds(10))));
}

void RunCalls(Calls& ours, Calls& plain, examples::ServerProcess& server,
              const Diary& diary) {
  const absl::Time start = absl::Now();
  for (int number = 0; number < kCalls; ++number) {
    absl::SleepFor(start + number * kBetweenCalls - absl::Now());
    if (number == kServerDies) {
      server.Kill();
      diary.Say("server: killed");
    } else if (number == kServerReturns) {
      server.Start();
      diary.Say("server: started again");
    }
    ours.Start(number);
    plain.Start(number);
  }
  ours.Wait();
  plain.Wait();
}

int Run() {
  examples::ServerProcess server;
  server.Start();
  const Diary diary;
  const auto tally = std::make_shared<Tally>(
      [&diary](const std::string& what) { diary.Say(what); });
  const auto channel = OpenChannel(server.address(), tally);
  if (!channel.ok()) {
    absl::FPrintF(stderr, "%s\n", channel.status().ToString());
    return 2;
  }
  const auto plain_channel =
      grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials());
  if (!Connects(**channel) || !Connects(*plain_channel)) {
    absl::FPrintF(stderr, "no server on %s\n", server.address());
    return 2;
  }
  absl::PrintF("%d calls, one every %d ms\n", kCalls,
               absl::ToInt64Milliseconds(kBetweenCalls));
  diary.Say("server: up");
  Calls ours(*channel, kCalls);
  Calls plain(plain_channel, kCalls);
  RunCalls(ours, plain, server, diary);

  absl::PrintF("\nA few of them, through retrykit\n%s", FewCalls(ours));
  absl::PrintF("\nAll of them\n%s\n", Table(ours, plain));
  absl::PrintF(
      "quickstart: calls=%d ok=%d attempts=%d retries=%d suppressed=%d "
      "breaker_opened=%d plain_ok=%d\n",
      kCalls, CountOk(ours), tally->attempts.load(), tally->retries.load(),
      tally->suppressed.load(), tally->breaker_opened.load(), CountOk(plain));
  return CountOk(ours) > CountOk(plain) ? 0 : 1;
}

}  // namespace
}  // namespace quickstart

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const std::string address = absl::GetFlag(FLAGS_serve);
  if (address.empty()) return quickstart::Run();
  examples::EndWithParent();
  return quickstart::RunFlakyServer(address);
}
