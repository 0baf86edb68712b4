// Stops sending to something that keeps failing, and finds out when it is
// well again.
//
// Closed: everything passes and is measured. Open: everything is refused until
// the open interval ends. Half-open: a few probes pass; enough successes close
// it, one failure opens it for a longer interval.
//
//   CircuitBreaker breaker(options, now);
//   CircuitBreaker::Admission admission = breaker.TryAcquire(now);
//   if (!admission.admitted) ... fail with admission.retry_after ...
//   ... the attempt runs ...
//   auto transition = breaker.Record(admission.permit, breaker.Classify(code),
//                                    breaker.IsSlow(duration), now, random);
//   if (transition) ... report it ...
//
// Every permit must come back exactly once, by Record(). One that belongs to
// an earlier state has no effect (generation number). A probe's second return
// has none either, and a probe that is out for open_duration or longer is
// given out again, after which its first holder's result has none.
//
// Thread-safety: all members may be called from any thread. No caller's code
// runs under a lock: transitions are returned, each exactly once, for the
// caller to report. While closed, TryAcquire() reads one atomic and a success
// writes one that few threads share.
// Lifetime: shared_ptr, kept by the calls that hold permits.
// Errors: none. The config room refuses numbers outside the ranges below.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_CIRCUIT_BREAKER_H_
#define RETRYKIT_INTERCEPTORS_POLICY_CIRCUIT_BREAKER_H_

#include <atomic>
#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/base/thread_annotations.h"
#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/core/instant.h"
#include "interceptors/core/mutex.h"
#include "interceptors/core/status_code_set.h"
#include "interceptors/policy/failure_meter.h"
#include "interceptors/policy/probe_slots.h"
#include "interceptors/policy/retry_budget.h"

namespace retrykit {

struct CircuitBreakerOptions {
  // Share of failed attempts in the window that opens it; in (0, 1].
  double failure_rate_threshold = 0.5;
  // No rate opens it on less evidence; >= 1.
  int minimum_calls = 20;

  // Time window in ten buckets, when window_calls is 0; > 0. Infinite: never
  // forgets.
  absl::Duration window = absl::Seconds(10);
  // Count window: the last that many attempts; >= 0, 0: a time window.
  int window_calls = 0;

  // Opens after that many in a row, without waiting for minimum_calls; >= 0,
  // 0: never.
  int consecutive_failures = 0;

  // Slower attempts count as slow; > 0, infinite: none does.
  absl::Duration slow_call_duration = absl::InfiniteDuration();
  // Share of slow attempts in the window that opens it; in (0, 1].
  double slow_call_rate_threshold = 1.0;

  StatusCodeSet failure_status_codes{
      absl::StatusCode::kUnavailable, absl::StatusCode::kDeadlineExceeded,
      absl::StatusCode::kInternal, absl::StatusCode::kUnknown,
      absl::StatusCode::kDataLoss};

  // The first open interval; > 0. The k-th in a row without a closed state
  // between them is open_duration * open_multiplier^(k-1), at most
  // max_open_duration, and then +- 20 %: never above 1.2 * max_open_duration.
  // Infinite: never probes again.
  absl::Duration open_duration = absl::Seconds(5);
  absl::Duration max_open_duration = absl::Seconds(60);  // > 0.
  double open_multiplier = 2;                            // >= 1.

  int half_open_probes = 3;     // Probes in flight at once; >= 1.
  int half_open_successes = 3;  // Successes that close it; >= 1.

  // One breaker per method instead of one per entry; for the owner of breakers.
  bool per_method = false;

  // kReportOnly: the same states and transitions as under kEnforce, but all
  // attempts are admitted. Those that kEnforce would refuse say so
  // (Admission::would_refuse) and are not measured, as they would not exist.
  // kDisabled: all are admitted and nothing is measured; the state stays.
  EnforcementMode mode = EnforcementMode::kEnforce;

  bool has_slow_calls() const {
    return slow_call_duration < absl::InfiniteDuration();
  }
  friend bool operator==(const CircuitBreakerOptions& a,
                         const CircuitBreakerOptions& b);
};

class CircuitBreaker {
 public:
  enum class State : unsigned char { kClosed, kOpen, kHalfOpen };

  // How an attempt counts.
  enum class Result : unsigned char {
    kSuccess,
    kFailure,
    kNeutral,  // Neither way: the permit comes back, nothing is counted.
  };

  // Leave to send one attempt. A default-constructed one belongs to no state:
  // recording it has no effect.
  struct Permit {
    uint64_t generation = 0;
    int probe = -1;       // Slot of a half-open probe; -1: not a probe.
    uint64_t ticket = 0;  // Tells a slot's present holder from an earlier one.
  };

  struct Transition {
    State from = State::kClosed;
    State to = State::kClosed;
  };

  struct Admission {
    bool admitted = true;
    // Under REPORT_ONLY: it was admitted, and ENFORCE would have refused it.
    bool would_refuse = false;
    // Where it was or would be refused: until the open interval ends; zero
    // when it has ended and all probes are out.
    absl::Duration retry_after = absl::ZeroDuration();
    Permit permit;
    absl::optional<Transition> transition;  // Open to half-open happens here.
  };

  // Closed, with an empty window.
  CircuitBreaker(const CircuitBreakerOptions& options, Instant now);

  // Asks for a permit and takes it. Under DISABLED always admitted.
  Admission TryAcquire(Instant now);

  // Asks without taking. False under REPORT_ONLY and DISABLED.
  bool WouldRefuse(Instant now) const;

  // Gives the permit back with the attempt's result. A rate is judged at every
  // attempt that counts: the one that completes minimum_calls may be a success
  // and open it. A slow probe is a failed one, where slow calls are a rule.
  // `slow` is ignored where they are not; `random` is drawn from only when the
  // breaker opens.
  absl::optional<Transition> Record(const Permit& permit, Result result,
                                    bool slow, Instant now,
                                    absl::BitGenRef random);

  // Failure, success or neither, by the code alone: listed ones are failures,
  // RESOURCE_EXHAUSTED (the server is shedding load) is neutral unless listed,
  // all others are answers of a server that is well.
  Result Classify(absl::StatusCode code) const;

  // Slower than slow_call_duration; never where that is not set.
  bool IsSlow(absl::Duration duration) const;

  // Takes other numbers over. With equal numbers nothing changes; with others
  // the state stays (an open interval runs to its end as it was drawn), the
  // window starts empty, probes start afresh, and permits given out before
  // have no effect any more.
  void Reconfigure(const CircuitBreakerOptions& options, Instant now);

  State state() const;
  CircuitBreakerOptions options() const;  // Takes the lock.

 private:
  uint64_t word() const;
  Instant open_until() const;
  bool counts_slow_calls() const;

  Admission AcquireLocked(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::optional<Transition> RecordProbeLocked(const Permit& permit,
                                               Result result, bool slow,
                                               Instant now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Transition HalfOpenLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Transition OpenLocked(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Transition CloseLocked(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Transition MoveLocked(State to) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void TakeOptionsLocked(const CircuitBreakerOptions& options)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Instant LatestLocked(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void JitterOpenInterval(uint64_t generation, absl::BitGenRef random);

  // Read by every attempt and written seldom, under mu_: on a cache line of
  // their own.
  struct alignas(ABSL_CACHELINE_SIZE) Published {
    std::atomic<uint64_t> word{0};  // State, mode and generation.
    std::atomic<int64_t> open_until{
        0};  // Instant's nanos; means it while open.
    std::atomic<int64_t> slow_nanos{0};  // The largest int64: no slow calls.
    std::atomic<StatusCodeSet> failure_codes{StatusCodeSet()};
  };
  Published published_;

  FailureMeter meter_;  // Guarded by mu_, but for TryCountQuietly().

  mutable Mutex mu_;
  CircuitBreakerOptions options_ ABSL_GUARDED_BY(mu_);
  Instant latest_ ABSL_GUARDED_BY(mu_);  // The latest `now` seen under mu_.
  Instant opened_ ABSL_GUARDED_BY(mu_);
  absl::Duration open_interval_ ABSL_GUARDED_BY(mu_);  // Without jitter.
  ProbeSlots probes_ ABSL_GUARDED_BY(mu_);
  int probe_successes_ ABSL_GUARDED_BY(mu_) = 0;
};

// "closed", "open", "half_open".
const char* CircuitStateText(CircuitBreaker::State state);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_CIRCUIT_BREAKER_H_
