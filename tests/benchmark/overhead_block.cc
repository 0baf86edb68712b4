#include "tests/benchmark/overhead_block.h"

#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interceptors/core/clock.h"
#include "interceptors/core/mutex.h"
#include "tests/benchmark/overhead_allocations.h"
#include "tests/benchmark/overhead_caller.h"
#include "tests/benchmark/overhead_server.h"

namespace retrykit {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * 1e-6;
}

// Lets threads wait for each other.
class Meeting {
 public:
  explicit Meeting(int awaited) : awaited_(awaited) {}

  void Arrive() {
    MutexLock lock(mu_);
    --awaited_;
    changed_.NotifyAll();
  }
  void Wait() {
    MutexLock lock(mu_);
    while (awaited_ > 0) changed_.Wait(mu_);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  int awaited_ ABSL_GUARDED_BY(mu_);
};

struct Meetings {
  explicit Meetings(int threads) : ready(threads), start(1), done(threads) {}
  Meeting ready;  // Every thread has called once.
  Meeting start;
  Meeting done;
};

// What one thread does and sees.
struct Worker {
  std::vector<double> latencies;
  double calls_per_second = 0;
  double failed = 0;

  void Run(testing::Echo::Stub& stub, const Load& load, absl::Duration length,
           Meetings& meetings) {
    const std::unique_ptr<Caller> caller = MakeCaller(load.api, stub);
    testing::EchoRequest request;
    latencies.reserve(size_t{1} << 14);
    request.set_message(load.failing ? kFailing : "ping");
    request.set_id("1");
    caller->Call(request);
    meetings.ready.Arrive();
    meetings.start.Wait();
    const Instant start = MonotonicClock().Now();
    Instant now = start;
    for (int id = 0; now < start + length; ++id) {
      request.set_id(absl::StrCat(id));
      const Caller::Result result = caller->Call(request);
      latencies.push_back(absl::ToDoubleSeconds(result.latency));
      if (!result.status.ok()) ++failed;
      now = MonotonicClock().Now();
    }
    calls_per_second = static_cast<double>(latencies.size()) /
                       absl::ToDoubleSeconds(now - start);
    meetings.done.Arrive();
  }
};

Cost Summary(const std::vector<Worker>& workers, double cpu,
             uint64_t allocations) {
  std::vector<double> latencies;
  Cost cost;
  for (const Worker& worker : workers) {
    latencies.insert(latencies.end(), worker.latencies.begin(),
                     worker.latencies.end());
    cost.throughput += worker.calls_per_second;
    cost.failed += worker.failed;
  }
  const auto calls = static_cast<double>(latencies.size());
  const auto middle = latencies.begin() + latencies.size() / 2;
  std::nth_element(latencies.begin(), middle, latencies.end());
  cost.p50 = *middle;
  cost.cpu = cpu / calls;
  cost.allocations = static_cast<double>(allocations) / calls;
  cost.failed /= calls;
  return cost;
}

}  // namespace

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

Cost RunBlock(const std::shared_ptr<grpc::Channel>& channel, const Load& load,
              absl::Duration length) {
  testing::Echo::Stub stub(channel);
  Meetings meetings(load.threads);
  std::vector<Worker> workers(static_cast<size_t>(load.threads));
  std::vector<std::thread> threads;
  for (Worker& worker : workers) {
    threads.emplace_back([&] { worker.Run(stub, load, length, meetings); });
  }
  meetings.ready.Wait();
  const double cpu = CpuSeconds();
  const uint64_t allocations = Allocations();
  meetings.start.Arrive();
  meetings.done.Wait();
  const uint64_t allocated = Allocations() - allocations;
  const double used = CpuSeconds() - cpu;
  for (std::thread& thread : threads) thread.join();
  return Summary(workers, used, allocated);
}

}  // namespace retrykit
