#include "tests/benchmark/brownout_run.h"

#include <grpc/grpc.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "interceptors/retrykit.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/benchmark/brownout_server.h"
#include "tests/support/real_time.h"

namespace retrykit {

namespace {

constexpr absl::Duration kBucket = absl::Milliseconds(100);

// gRPC's own retries hang now and then with less than 20 ms of backoff.
constexpr char kPolicy[] = R"({
  "retryThrottling": {"maxTokens": 20, "tokenRatio": 0.1},
  "methodConfig": [{
    "name": [{"service": "retrykit.testing.Echo"}],
    "retryPolicy": {
      "maxAttempts": 4, "initialBackoff": "0.02s", "maxBackoff": "0.2s",
      "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]
    }$own
  }]
})";

constexpr char kOwn[] = R"(, "retrykit": {
      "jitter": "DECORRELATED",
      "circuitBreaker": {
        "window": "2s", "openDuration": "0.5s", "maxOpenDuration": "0.5s"
      }
    })";

struct Call {
  grpc::ClientContext context;
  testing::EchoRequest request;
  testing::EchoResponse response;
  absl::Duration sent;  // Since the start.
  bool ok = false;
};

class Brownout {
 public:
  Brownout(const std::shared_ptr<grpc::Channel>& channel,
           const std::string& address, const BrownoutPlan& plan)
      : plan_(plan),
        stub_(testing::Echo::NewStub(channel)),
        control_(testing::Echo::NewStub(grpc::CreateChannel(
            address, grpc::InsecureChannelCredentials()))) {}

  BrownoutFigures Run() {
    OrderBrownout(*control_, "up");
    Connect();
    start_ = MonotonicClock().Now();
    seen_ = OrderBrownout(*control_, "count");
    SendUntil(plan_.before);
    const int64_t before = OrderBrownout(*control_, "down");
    const size_t first = calls_.size();
    SendUntil(plan_.before + plan_.outage);
    figures_.load_in_outage = OrderBrownout(*control_, "up") - before;
    figures_.offered_in_outage = static_cast<int64_t>(calls_.size() - first);
    recovered_ = MonotonicClock().Now() - start_;
    SendUntil(plan_.before + plan_.outage + plan_.after);
    AwaitEnds();
    Count();
    return figures_;
  }

 private:
  // So that connecting is in no figure.
  void Connect() {
    grpc::ClientContext context;
    testing::EchoResponse ignored;
    context.set_deadline(DeadlineIn(kPatience));
    context.set_wait_for_ready(true);
    stub_->Unary(&context, testing::EchoRequest(), &ignored);
  }

  // Calls go out at their times, late ones at once.
  void SendUntil(absl::Duration end) {
    const absl::Duration interval =
        absl::Seconds(1) / (plan_.clients * plan_.rate);
    while (next_ < end) {
      const absl::Duration now = MonotonicClock().Now() - start_;
      if (now < next_) LetPass(next_ - now);
      while (figures_.load.size() * kBucket < next_) TakeLoad();
      Send();
      next_ += interval;
    }
  }

  void Send() {
    calls_.push_back(std::make_unique<Call>());
    Call& call = *calls_.back();
    call.sent = MonotonicClock().Now() - start_;
    call.context.set_deadline(DeadlineIn(absl::Seconds(2)));
    {
      MutexLock lock(mu_);
      ++live_;
    }
    stub_->async()->Unary(&call.context, &call.request, &call.response,
                          [this, &call](const grpc::Status& status) {
                            MutexLock lock(mu_);
                            call.ok = status.ok();
                            --live_;
                            ended_.NotifyAll();
                          });
  }

  void TakeLoad() {
    const int64_t seen = OrderBrownout(*control_, "count");
    figures_.load.push_back(static_cast<int>(seen - seen_));
    seen_ = seen;
  }

  void AwaitEnds() {
    MutexLock lock(mu_);
    while (live_ > 0) ended_.Wait(mu_);
  }

  void Count() {
    const absl::Duration due = recovered_ + 1.2 * kBrownoutOpenDuration;
    int successes = 0, sent_after = 0, successes_after = 0;
    for (const auto& one : calls_) {
      const Call& call = *one;
      CountInBucket(call);
      successes += call.ok;
      sent_after += call.sent > due;
      successes_after += call.sent > due && call.ok;
      if (!call.ok && call.sent > recovered_) {
        figures_.recovery = call.sent - recovered_;
      }
    }
    figures_.offered = static_cast<int64_t>(calls_.size());
    figures_.success = successes / static_cast<double>(calls_.size());
    figures_.goodput = 1.0 * plan_.clients * plan_.rate * successes_after /
                       std::max(sent_after, 1);
  }

  void CountInBucket(const Call& call) {
    const auto bucket = static_cast<size_t>(call.sent / kBucket);
    if (figures_.sent.size() <= bucket) figures_.sent.resize(bucket + 1);
    figures_.succeeded.resize(figures_.sent.size());
    ++figures_.sent[bucket];
    figures_.succeeded[bucket] += call.ok;
  }

  const BrownoutPlan plan_;
  const std::unique_ptr<testing::Echo::Stub> stub_;
  const std::unique_ptr<testing::Echo::Stub> control_;
  Instant start_;
  absl::Duration next_;       // When the next call goes out, since the start.
  absl::Duration recovered_;  // When the outage ended, since the start.
  int64_t seen_ = 0;          // Attempts, at the last count.
  BrownoutFigures figures_;
  Mutex mu_;
  CondVar ended_;
  int live_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<std::unique_ptr<Call>> calls_;
};

template <typename T>
T OrExit(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(2);
}

grpc::ChannelArguments OwnConnection() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

}  // namespace

BrownoutFigures RunBrownout(const std::string& name,
                            const std::shared_ptr<grpc::Channel>& channel,
                            const std::string& address,
                            const BrownoutPlan& plan) {
  BrownoutFigures figures = Brownout(channel, address, plan).Run();
  figures.name = name;
  return figures;
}

std::vector<BrownoutVariant> BrownoutVariants(const std::string& address) {
  const auto credentials = grpc::InsecureChannelCredentials();
  grpc::ChannelArguments core = OwnConnection();
  core.SetServiceConfigJSON(absl::StrReplaceAll(kPolicy, {{"$own", ""}}));
  const auto toolkit = OrExit(Toolkit::Create(OrExit(ServiceConfig::FromJson(
      absl::StrReplaceAll(kPolicy, {{"$own", kOwn}})))));
  return {
      {"plain",
       grpc::CreateCustomChannel(address, credentials, OwnConnection())},
      {"core_retries", grpc::CreateCustomChannel(address, credentials, core)},
      {"retrykit",
       OrExit(toolkit->CreateChannel(address, credentials, OwnConnection()))}};
}

}  // namespace retrykit
