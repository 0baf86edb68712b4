// How long to wait before the next retry.
//
// Five jitters, one rule for all: 0 <= delay <= max_backoff, for every input
// and any number of retries.
//
//   Backoff backoff;                      // state of one call
//   absl::Duration delay = backoff.Next(options, random);
//   ...
//   backoff.Reset();                      // the server named a delay itself
//
// DECORRELATED follows "Exponential Backoff And Jitter" (AWS Architecture
// Blog, 2015) with the multiplier as a parameter; PROPORTIONAL is gRFC A6 as
// amended in 2024, but never above max_backoff.
//
// Thread-safety: Backoff is not thread-safe; BackoffOptions is a value.
// Lifetime: a Backoff belongs to one call and keeps no reference.
// Errors: none. The config room refuses numbers outside the ranges below.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_BACKOFF_H_
#define RETRYKIT_INTERCEPTORS_POLICY_BACKOFF_H_

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"

namespace retrykit {

// With B = initial_backoff, C = max_backoff, M = multiplier, prev = the
// previous delay (B before the first retry), n = 1 for the first retry and
// v = min(C, B * M^(n-1)):
enum class Jitter : unsigned char {
  kDecorrelated,  // uniform(min(B,C), min(C, max(B, 2*M*prev)))
  kFull,          // uniform(0, v)
  kEqual,         // v/2 + uniform(0, v/2)
  kProportional,  // v * uniform(0.8, 1.2), then at most C
  kNone,          // v
};

struct BackoffOptions {
  // B; > 0. Above max_backoff it counts as max_backoff.
  absl::Duration initial_backoff = absl::Milliseconds(50);
  // C; > 0. Infinite: no cap.
  absl::Duration max_backoff = absl::Seconds(1);
  // M; > 0 and finite. 1: no growth, below 1: shrinking delays.
  double multiplier = 1.5;
  Jitter jitter = Jitter::kDecorrelated;
};

class Backoff {
 public:
  // The delay before the next retry, between zero and max_backoff. Each call
  // counts as one retry. Draws from `random` unless the jitter is kNone.
  absl::Duration Next(const BackoffOptions& options, absl::BitGenRef random);

  // The server named a delay itself: the next one starts from the beginning.
  void Reset();

 private:
  bool fresh_ = true;            // The next delay is the first.
  double growth_ = 1;            // M^(n-1) of the last delay; may be infinite.
  double previous_seconds_ = 0;  // The last delay.
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_BACKOFF_H_
