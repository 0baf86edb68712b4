// What a scripted server saw: one record per attempt, by the call's id.
//
//   ASSERT_TRUE(log.WaitForAttempts("call", 2));
//   EXPECT_EQ(log.Attempts("call")[1].previous_attempts(), "1");
//
// Thread-safety: all members may be called from any thread.
#ifndef TESTS_SUPPORT_ATTEMPT_LOG_H_
#define TESTS_SUPPORT_ATTEMPT_LOG_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "tests/support/metadata.h"
#include "tests/support/real_time.h"

namespace retrykit {

struct SeenAttempt {
  int number = 0;      // From 1, by the order of arrival.
  std::string method;  // "/pkg.Service/Method"
  std::string authority;
  std::string peer;
  Metadata metadata;  // Sent by the client.
  Metadata auth;      // The properties of the connection's peer.
  Instant arrived;
  // Until the deadline that came with the call; infinite without one.
  absl::Duration time_left = absl::InfiniteDuration();
  std::vector<std::string> requests;  // The bytes of each message read.
  bool half_closed = false;           // The end of the requests was read.
  bool ended = false;
  bool cancelled = false;  // It ended before the server had answered.

  // `x-retrykit-previous-attempts`; "-" when absent.
  std::string previous_attempts() const;
};

class AttemptLog {
 public:
  // Adds a record, and gives it its number.
  int Add(const std::string& id, SeenAttempt attempt);

  // Changes the record of attempt `number`.
  void Update(const std::string& id, int number,
              const std::function<void(SeenAttempt&)>& change);

  // The attempts of a call so far.
  std::vector<SeenAttempt> Attempts(const std::string& id) const;

  // The attempts of all calls.
  int total() const;

  // True once `count` attempts of the call have arrived; false if that takes
  // longer than `patience`.
  bool WaitForAttempts(const std::string& id, int count,
                       absl::Duration patience = kPatience) const;

  // True once attempt `number` has ended.
  bool WaitForEnd(const std::string& id, int number,
                  absl::Duration patience = kPatience) const;

  // The same, and it has ended by cancellation.
  bool WaitForCancelled(const std::string& id, int number,
                        absl::Duration patience = kPatience) const;

 private:
  using AttemptList = std::vector<SeenAttempt>;

  bool WaitFor(const std::string& id, absl::Duration patience,
               const std::function<bool(const AttemptList&)>& condition) const;

  mutable Mutex mu_;
  mutable CondVar changed_;
  std::map<std::string, AttemptList> attempts_ ABSL_GUARDED_BY(mu_);
  int total_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_ATTEMPT_LOG_H_
