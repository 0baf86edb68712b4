#include "interceptors/policy/failure_meter.h"

#include <limits>
#include <utility>

namespace retrykit {
namespace {

constexpr int64_t kNotQuiet = std::numeric_limits<int64_t>::min();

// A division, not a product: 7 of 100 is exactly what "0.07" is read as.
bool Reaches(int64_t part, int64_t whole, double threshold) {
  return part > 0 &&
         static_cast<double>(part) / static_cast<double>(whole) >= threshold;
}

}  // namespace

void FailureMeter::Restart(const FailureThresholds& thresholds,
                           std::unique_ptr<RollingWindow> window,
                           uint64_t generation) {
  thresholds_ = thresholds;
  window_ = std::move(window);
  generation_ = generation;
  failures_in_a_row_ = 0;
  tally_.Restart(generation);
  quiet_until_.store(window_->NextDrop().nanos());
}

void FailureMeter::Restart(uint64_t generation, Instant now) {
  window_->Clear(now);
  Restart(thresholds_, std::move(window_), generation);
}

// The order makes sure that no success slips between a failure and its
// judgement. Judge() ends the quiet first and drains the tally then; here the
// tally is added to first and the quiet looked at then. So either the drain
// has this success, or this success sees the end of the quiet and judges
// again. Needs sequential consistency on all four.
FailureMeter::Quick FailureMeter::TryCountQuietly(uint64_t generation,
                                                  Instant now) {
  if (now.nanos() >= quiet_until_.load()) return Quick::kNotQuiet;
  tally_.Add(generation);
  return now.nanos() < quiet_until_.load() ? Quick::kCounted : Quick::kJudge;
}

bool FailureMeter::Count(bool failed, bool slow, Instant now) {
  CarryOver();
  window_->Advance(now);
  window_->Add(failed, slow);
  failures_in_a_row_ = failed ? failures_in_a_row_ + 1 : 0;
  return Judge();
}

bool FailureMeter::JudgeAgain(Instant now) {
  CarryOver();
  window_->Advance(now);
  failures_in_a_row_ = 0;
  return Judge();
}

// Before Advance(): what the tally holds came before the window's next drop.
void FailureMeter::CarryOver() {
  quiet_until_.store(kNotQuiet);
  window_->AddSuccesses(tally_.Drain(generation_));
}

bool FailureMeter::Judge() {
  if (ShouldOpen()) return true;
  if (IsSettled()) quiet_until_.store(window_->NextDrop().nanos());
  return false;
}

bool FailureMeter::ShouldOpen() const {
  if (thresholds_.consecutive_failures > 0 &&
      failures_in_a_row_ >= thresholds_.consecutive_failures) {
    return true;
  }
  const WindowCounts counts = window_->counts();
  return counts.attempts >= thresholds_.minimum_calls &&
         (Reaches(counts.failures, counts.attempts, thresholds_.failure_rate) ||
          Reaches(counts.slow, counts.attempts, thresholds_.slow_rate));
}

// No success can open the breaker before the window next drops something: it
// only lowers rates that are below their thresholds, and completes evidence
// that is complete, or is of no failure at all.
bool FailureMeter::IsSettled() const {
  if (thresholds_.consecutive_failures > 0 && failures_in_a_row_ > 0) {
    return false;  // A success still has to end the row.
  }
  const WindowCounts counts = window_->counts();
  return counts.attempts >= thresholds_.minimum_calls ||
         (counts.failures == 0 && counts.slow == 0);
}

}  // namespace retrykit
