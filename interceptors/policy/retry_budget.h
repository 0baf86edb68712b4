// The retry throttle of gRFC A6: tokens that failures take and successes give
// back. While the bucket is at most half full no retry and no hedge is sent.
//
//   RetryBudgetOptions options;
//   options.max_milli_tokens = 10'000;  // Ten tokens.
//   options.milli_token_ratio = 100;    // A success gives back a tenth.
//   RetryBudget budget(options);
//   budget.RecordFailure();
//   if (budget.Allows()) ...            // Another attempt may be sent.
//
// Thread-safety: all members may be called from any thread; one atomic, no
// lock. A success on a full bucket, the usual case, writes nothing.
// Lifetime: shared by the channels to one target.
// Errors: none. The config room refuses numbers outside the ranges below; here
// they are clamped to them.
#ifndef RETRYKIT_INTERCEPTORS_POLICY_RETRY_BUDGET_H_
#define RETRYKIT_INTERCEPTORS_POLICY_RETRY_BUDGET_H_

#include <atomic>
#include <cstdint>

namespace retrykit {

// What a policy does with its "no".
enum class EnforcementMode : unsigned char {
  kEnforce,     // Obey it.
  kReportOnly,  // Go on, and report what would have been refused.
  kDisabled,    // Do not even count. (The circuit breaker only.)
};

struct RetryBudgetOptions {
  // The bucket's size in 1/1000 of a token; 1 to 1'000'000. At 2000 or less the
  // first failure already forbids retries.
  int64_t max_milli_tokens = 0;
  // What a success gives back, in 1/1000 of a token; > 0. More than
  // max_milli_tokens fills the bucket.
  int64_t milli_token_ratio = 0;
  EnforcementMode mode = EnforcementMode::kEnforce;

  friend bool operator==(const RetryBudgetOptions& a,
                         const RetryBudgetOptions& b) {
    return a.max_milli_tokens == b.max_milli_tokens &&
           a.milli_token_ratio == b.milli_token_ratio && a.mode == b.mode;
  }
};

class RetryBudget {
 public:
  // Starts full.
  explicit RetryBudget(const RetryBudgetOptions& options);

  // Adds milli_token_ratio, at most up to max_milli_tokens.
  void RecordSuccess();
  // Takes one token, at least down to zero. Returns the milli-tokens left.
  int64_t RecordFailure();

  // True above half of the bucket. Does not look at the mode.
  bool WouldAllow() const;
  // True unless it would refuse and the mode is kEnforce.
  bool Allows() const {
    return mode() == EnforcementMode::kReportOnly || WouldAllow();
  }

  // Takes other numbers over and keeps the filled share: 3/4 of the old
  // bucket becomes 3/4 of the new one.
  void Reconfigure(const RetryBudgetOptions& options);

  int64_t milli_tokens() const;
  int64_t max_milli_tokens() const;
  EnforcementMode mode() const;

 private:
  // Tokens and numbers packed into one word (retry_budget.cc): every change is
  // one compare-and-swap, Reconfigure() included.
  std::atomic<uint64_t> word_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_POLICY_RETRY_BUDGET_H_
