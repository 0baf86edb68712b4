#include "interceptors/policy/retry_budget.h"

#include <algorithm>

namespace retrykit {
namespace {

constexpr int64_t kTokenInMilli = 1000;
constexpr int64_t kLargestMilliTokens = 1'000'000;

// Tokens, maximum and ratio in 20 bits each (enough for a million), then the
// mode: whoever changes one sees the others as they were together.
constexpr int kFieldBits = 20;
constexpr uint64_t kFieldMask = (uint64_t{1} << kFieldBits) - 1;
static_assert(kLargestMilliTokens <= static_cast<int64_t>(kFieldMask),
              "a field holds the largest number");

constexpr int64_t Field(uint64_t word, int index) {
  return static_cast<int64_t>((word >> (index * kFieldBits)) & kFieldMask);
}
constexpr int64_t TokensOf(uint64_t word) { return Field(word, 0); }
constexpr int64_t MaxOf(uint64_t word) { return Field(word, 1); }
constexpr int64_t RatioOf(uint64_t word) { return Field(word, 2); }
constexpr EnforcementMode ModeOf(uint64_t word) {
  return static_cast<EnforcementMode>(word >> (3 * kFieldBits));
}

constexpr uint64_t WithTokens(uint64_t word, int64_t tokens) {
  return (word & ~kFieldMask) | static_cast<uint64_t>(tokens);
}

// An empty bucket of these numbers. A ratio above the maximum gives back no
// more than the maximum.
uint64_t Pack(const RetryBudgetOptions& options) {
  const int64_t max =
      std::clamp<int64_t>(options.max_milli_tokens, 1, kLargestMilliTokens);
  const int64_t ratio = std::clamp<int64_t>(options.milli_token_ratio, 0, max);
  return static_cast<uint64_t>(options.mode) << (3 * kFieldBits) |
         static_cast<uint64_t>(ratio) << (2 * kFieldBits) |
         static_cast<uint64_t>(max) << kFieldBits;
}

uint64_t Full(uint64_t word) { return WithTokens(word, MaxOf(word)); }

}  // namespace

RetryBudget::RetryBudget(const RetryBudgetOptions& options)
    : word_(Full(Pack(options))) {}

void RetryBudget::RecordSuccess() {
  uint64_t word = word_.load(std::memory_order_relaxed);
  // Full, as it is nearly always: nothing to write, so nothing to contend for.
  while (TokensOf(word) < MaxOf(word)) {
    const int64_t tokens =
        std::min(MaxOf(word), TokensOf(word) + RatioOf(word));
    if (word_.compare_exchange_weak(word, WithTokens(word, tokens),
                                    std::memory_order_relaxed)) {
      return;
    }
  }
}

int64_t RetryBudget::RecordFailure() {
  uint64_t word = word_.load(std::memory_order_relaxed);
  while (TokensOf(word) > 0) {
    const int64_t tokens = std::max<int64_t>(0, TokensOf(word) - kTokenInMilli);
    if (word_.compare_exchange_weak(word, WithTokens(word, tokens),
                                    std::memory_order_relaxed)) {
      return tokens;
    }
  }
  return 0;
}

bool RetryBudget::WouldAllow() const {
  const uint64_t word = word_.load(std::memory_order_relaxed);
  return 2 * TokensOf(word) > MaxOf(word);
}

void RetryBudget::Reconfigure(const RetryBudgetOptions& options) {
  const uint64_t empty = Pack(options);
  uint64_t word = word_.load(std::memory_order_relaxed);
  int64_t tokens;
  do {
    tokens = TokensOf(word) * MaxOf(empty) / MaxOf(word);
  } while (!word_.compare_exchange_weak(word, WithTokens(empty, tokens),
                                        std::memory_order_relaxed));
}

int64_t RetryBudget::milli_tokens() const {
  return TokensOf(word_.load(std::memory_order_relaxed));
}

int64_t RetryBudget::max_milli_tokens() const {
  return MaxOf(word_.load(std::memory_order_relaxed));
}

EnforcementMode RetryBudget::mode() const {
  return ModeOf(word_.load(std::memory_order_relaxed));
}

}  // namespace retrykit
