// From a brown-out's figures to what is printed and drawn. The variants are
// those of BrownoutVariants, in their order.
#ifndef TESTS_BENCHMARK_BROWNOUT_REPORT_H_
#define TESTS_BENCHMARK_BROWNOUT_REPORT_H_

#include <string>
#include <vector>

#include "tests/benchmark/brownout_run.h"

namespace retrykit {

std::string BrownoutTable(const std::vector<BrownoutFigures>& all);
std::string BrownoutJsonLines(const std::vector<BrownoutFigures>& all);
std::string BrownoutSvg(const std::vector<BrownoutFigures>& all,
                        const BrownoutPlan& plan);

// The targets that retrykit misses, in words.
std::vector<std::string> BrownoutMissed(
    const std::vector<BrownoutFigures>& all);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_BROWNOUT_REPORT_H_
