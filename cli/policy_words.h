// A circuit breaker, hedging and the rest of a policy in words.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_CLI_POLICY_WORDS_H_
#define RETRYKIT_CLI_POLICY_WORDS_H_

#include <string>
#include <vector>

#include "interceptors/policy/circuit_breaker.h"
#include "interceptors/policy/method_policy.h"

namespace retrykit {
namespace cli {

// Each element is a sentence.
std::vector<std::string> BreakerWords(const CircuitBreakerOptions& breaker);
std::vector<std::string> HedgingWords(const HedgingOptions& hedging,
                                      int attempts);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_POLICY_WORDS_H_
