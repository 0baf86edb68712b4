#include "interceptors/adapter/thread_queue.h"

#include <grpcpp/alarm.h>

#include <thread>

#include "gtest/gtest.h"

namespace retrykit {
namespace {

// One operation that ends at once, waited for as a call waits for an attempt.
bool RunsAnOperation(grpc::CompletionQueue& queue) {
  grpc::Alarm alarm;
  int tag = 0;
  alarm.Set(&queue, gpr_time_0(GPR_CLOCK_MONOTONIC), &tag);
  void* seen = nullptr;
  bool ok = false;
  return queue.Next(&seen, &ok) && seen == &tag && ok;
}

grpc::CompletionQueue* Address(const ThreadQueue& queue) { return &*queue; }

TEST(ThreadQueueTest, IsTheSameFromCallToCall) {
  grpc::CompletionQueue* first = nullptr;
  {
    const ThreadQueue queue;
    first = Address(queue);
    EXPECT_TRUE(RunsAnOperation(*queue));
  }
  const ThreadQueue queue;
  EXPECT_EQ(Address(queue), first);
  EXPECT_TRUE(RunsAnOperation(*queue));
}

TEST(ThreadQueueTest, ACallInsideAnotherHasAQueueOfItsOwn) {
  const ThreadQueue outer;
  {
    const ThreadQueue inner;
    EXPECT_NE(Address(inner), Address(outer));
    EXPECT_TRUE(RunsAnOperation(*inner));
  }
  EXPECT_TRUE(RunsAnOperation(*outer));
}

TEST(ThreadQueueTest, ThreadsShareNone) {
  const ThreadQueue here;
  std::thread([&here] {
    const ThreadQueue there;
    EXPECT_NE(Address(there), Address(here));
    EXPECT_TRUE(RunsAnOperation(*there));
  }).join();
}

// Made before the thread's queue, so destroyed after it.
struct CallsAtItsEnd {
  bool* worked;
  ~CallsAtItsEnd() {
    const ThreadQueue queue;
    *worked = RunsAnOperation(*queue);
  }
};

TEST(ThreadQueueTest, ServesCallsMadeWhileTheThreadEnds) {
  bool worked = false;
  std::thread([&worked] {
    thread_local const CallsAtItsEnd last{&worked};
    EXPECT_FALSE(*last.worked);
    const ThreadQueue queue;
    EXPECT_TRUE(RunsAnOperation(*queue));
  }).join();
  EXPECT_TRUE(worked);
}

}  // namespace
}  // namespace retrykit
