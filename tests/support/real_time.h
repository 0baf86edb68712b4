// Real time, for tests that talk to a real server: the only place of the test
// kit where the wall clock is read.
//
//   context.set_deadline(DeadlineIn(absl::Milliseconds(300)));
//   EXPECT_TRUE(Eventually([&] { return timers() == 0; }));
//
// Thread-safety: any thread.
#ifndef TESTS_SUPPORT_REAL_TIME_H_
#define TESTS_SUPPORT_REAL_TIME_H_

#include <chrono>
#include <functional>

#include "absl/time/time.h"

namespace retrykit {

// How long a test waits for something that must happen before it fails: long
// enough for a busy machine under a sanitizer.
constexpr absl::Duration kPatience = absl::Seconds(30);

// How late something may be before a test fails for it.
constexpr absl::Duration kTooLate = absl::Seconds(2);

// The wall clock's time `from_now`, as gRPC contexts take it; the past when
// negative.
std::chrono::system_clock::time_point DeadlineIn(absl::Duration from_now);

// The time left until a deadline as gRPC server contexts give it. Infinite when
// there is none.
absl::Duration TimeLeft(std::chrono::system_clock::time_point deadline);

// Whether `condition` comes true within `patience`. It is asked again every
// millisecond.
bool Eventually(const std::function<bool()>& condition,
                absl::Duration patience = kPatience);

// Lets real time pass, where that is the scenario itself (a server that is down
// for 100 ms). Everything else waits for what it needs.
void LetPass(absl::Duration duration);

}  // namespace retrykit

#endif  // TESTS_SUPPORT_REAL_TIME_H_
