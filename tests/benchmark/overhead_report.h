// From what the blocks cost to what is printed.
#ifndef TESTS_BENCHMARK_OVERHEAD_REPORT_H_
#define TESTS_BENCHMARK_OVERHEAD_REPORT_H_

#include <string>
#include <vector>

#include "tests/benchmark/overhead_block.h"

namespace retrykit {

// One round: the cost of each variant, in the order of their names, "plain"
// first.
using Round = std::vector<Cost>;

// Medians over the rounds, per variant but the first, of the ratios to the
// first in the same round.
std::vector<Cost> MedianRatios(const std::vector<Round>& rounds);

// One JSON object per variant but the first, one a line.
std::string JsonLines(const std::vector<std::string>& names, const Load& load,
                      const std::vector<Round>& rounds);

// The same for people, with the first variant's medians as they are.
std::string Table(const std::vector<std::string>& names, const Load& load,
                  const std::vector<Round>& rounds);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_OVERHEAD_REPORT_H_
