#include "tests/policy/tested_breaker.h"

#include <utility>

namespace retrykit {

TestedBreaker::TestedBreaker(const CircuitBreakerOptions& options,
                             std::vector<double> fractions)
    : random_(std::move(fractions)), breaker_(options, clock_.Now()) {}

CircuitBreaker::Admission TestedBreaker::Acquire() {
  const CircuitBreaker::Admission admission = breaker_.TryAcquire(now());
  Note(admission.transition);
  return admission;
}

void TestedBreaker::Record(const CircuitBreaker::Permit& permit, Result result,
                           bool slow) {
  Note(breaker_.Record(permit, result, slow, now(), random_));
}

void TestedBreaker::Run(Result result, bool slow, int times) {
  for (int i = 0; i < times; ++i) {
    const CircuitBreaker::Admission admission = Acquire();
    if (admission.admitted) Record(admission.permit, result, slow);
  }
}

void TestedBreaker::Note(
    const absl::optional<CircuitBreaker::Transition>& transition) {
  if (!transition) return;
  if (!log_.empty()) log_ += ' ';
  log_ += CircuitStateText(transition->from);
  log_ += '>';
  log_ += CircuitStateText(transition->to);
}

std::string TestedBreaker::Log() { return std::exchange(log_, ""); }

}  // namespace retrykit
