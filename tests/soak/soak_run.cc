#include "tests/soak/soak_run.h"

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"
#include "interceptors/retrykit.h"
#include "tests/soak/soak_calls.h"
#include "tests/soak/soak_faults.h"
#include "tests/soak/soak_observer.h"
#include "tests/soak/soak_server.h"
#include "tests/support/fault_proxy.h"
#include "tests/support/real_time.h"
#include "tests/support/test_policy.h"
#include "tests/support/toolkit_peer.h"
#include "tests/support/worker_threads.h"

namespace retrykit {

namespace {

constexpr size_t kMostMistakes = 20;

// Everything on; the breaker and the budget refuse now and then.
TestPolicy SoakPolicy() {
  TestPolicy policy;
  policy.max_attempts = 4;
  policy.retryable_codes = R"(["UNAVAILABLE","ABORTED","RESOURCE_EXHAUSTED"])";
  policy.initial_backoff = "0.005s";
  policy.max_backoff = "0.1s";
  policy.jitter = "DECORRELATED";
  policy.per_attempt_timeout = "0.25s";
  policy.throttling = R"({"maxTokens":200,"tokenRatio":0.9})";
  policy.circuit_breaker =
      R"({"failureRateThreshold":0.7,"minimumCalls":20,"window":"1s",)"
      R"("openDuration":"0.1s","maxOpenDuration":"0.2s","scope":"METHOD"})";
  return policy;
}

TestPolicy HedgingPolicy() {
  TestPolicy policy = SoakPolicy();
  policy.max_attempts = 3;
  policy.Hedge("0.03s");
  return policy;
}

template <typename T>
T OrAbort(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::abort();
}

// A toolkit and its channel.
class Client {
 public:
  Client(const TestPolicy& policy, const std::string& address,
         std::shared_ptr<SoakObserver> observer) {
    Options options;
    options.observers = {std::move(observer)};
    toolkit_ = OrAbort(Toolkit::Create(
        OrAbort(ServiceConfig::FromJson(policy.Json())), options));
    channel_ = OrAbort(
        toolkit_->CreateChannel(address, grpc::InsecureChannelCredentials()));
  }

  Toolkit& toolkit() { return *toolkit_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  std::shared_ptr<Toolkit> toolkit_;
  std::shared_ptr<grpc::Channel> channel_;
};

class Soak {
 public:
  Soak(const SoakSettings& settings, bool progress)
      : settings_(settings),
        progress_(progress),
        started_(MonotonicClock().Now()) {}

  SoakFigures Run() {
    RunStage(settings_.warm_up);
    for (int i = 0; i < settings_.stages; ++i) {
      RunStage(settings_.calls / settings_.stages);
    }
    return Figures();
  }

 private:
  // Makes the calls, waits until all is quiet, and measures.
  void RunStage(int calls) {
    {
      SoakFaults faults(proxy_, settings_.seed + static_cast<uint64_t>(next_));
      WorkerThreads threads(settings_.threads);
      const int end = next_ + calls;
      taken_ = next_;
      for (int i = 0; i < settings_.threads; ++i) {
        threads.Run([this, end] { MakeCalls(end); });
      }
      threads.Drain();
      next_ = end;
    }
    Eventually([this] { return Timers() == 0 && observer_->live() == 0; });
    MutexLock lock(mu_);
    figures_.memory.push_back(MeasureMemory());
    if (progress_) {
      std::fprintf(stderr, "%d calls, heap %.2f MB, resident %.1f MB, %.0f s\n",
                   next_,
                   static_cast<double>(figures_.memory.back().heap) / 1e6,
                   static_cast<double>(figures_.memory.back().resident) / 1e6,
                   absl::ToDoubleSeconds(MonotonicClock().Now() - started_));
    }
  }

  // Each thread takes the next call that nobody has made.
  void MakeCalls(int end) {
    for (int number = taken_++; number < end; number = taken_++) {
      MakeCall(number);
    }
  }

  void MakeCall(int number) {
    SeededRandom random(settings_.seed * 1000003 +
                        static_cast<uint64_t>(number));
    const SoakCall call = DrawSoakCall(random, absl::StrCat(number));
    const Client& client = random() % 3 == 0 ? hedging_ : retrying_;
    Record(call, MakeSoakCall(call, client.channel()));
  }

  void Record(const SoakCall& call, const SoakEnd& end) {
    MutexLock lock(mu_);
    ++figures_.calls;
    ++figures_.ends_by_code[absl::StrCat(end.code)];
    ++figures_.calls_by_style[SoakCallStyleName(call)];
    if (end.lateness > absl::Milliseconds(50)) ++figures_.late_50ms;
    if (end.lateness > figures_.latest) {
      figures_.latest = end.lateness;
      figures_.latest_call =
          absl::StrCat(call.id, ", ", SoakCallStyleName(call));
    }
    if (end.mistake.empty()) return;
    if (figures_.mistakes.size() < kMostMistakes) {
      figures_.mistakes.push_back(end.mistake);
    }
  }

  SoakFigures Figures() {
    MutexLock lock(mu_);
    const SoakObserver::Counts counts = observer_->counts();
    figures_.attempts_seen = server_.attempts();
    figures_.started = counts.started;
    figures_.ended = counts.ended;
    figures_.ended_unknown = counts.ended_unknown;
    figures_.ends_by_reason = counts.ends_by_reason;
    figures_.breaker_changes = counts.breaker_changes;
    figures_.faults = proxy_.counts();
    figures_.timers_left = Timers();
    figures_.duration = MonotonicClock().Now() - started_;
    return figures_;
  }

  size_t Timers() {
    return ToolkitPeer::LiveTimers(retrying_.toolkit()) +
           ToolkitPeer::LiveTimers(hedging_.toolkit());
  }

  const SoakSettings settings_;
  const bool progress_;
  const Instant started_;
  SoakServer server_{settings_.seed};
  FaultProxy proxy_{server_.port(), settings_.seed};
  const std::shared_ptr<SoakObserver> observer_ =
      std::make_shared<SoakObserver>();
  Client retrying_{SoakPolicy(), proxy_.address(), observer_};
  Client hedging_{HedgingPolicy(), proxy_.address(), observer_};

  int next_ = 0;  // The first call of the coming stage.
  std::atomic<int> taken_{0};
  Mutex mu_;
  SoakFigures figures_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

SoakFigures RunSoak(const SoakSettings& settings, bool progress) {
  return Soak(settings, progress).Run();
}

}  // namespace retrykit
