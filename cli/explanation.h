// What `explain` says.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_CLI_EXPLANATION_H_
#define RETRYKIT_CLI_EXPLANATION_H_

#include <string>
#include <vector>

#include "cli/policy_facts.h"

namespace retrykit {
namespace cli {

std::string ExplanationText(const PolicyFacts& facts);

// {"policies": [{...}]}; durations in seconds, null: no limit.
std::string ExplanationJson(const std::vector<PolicyFacts>& all);

// "DECORRELATED", ... as the config has them.
const char* JitterText(Jitter jitter);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_EXPLANATION_H_
