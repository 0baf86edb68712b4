// What quickstart prints at its end.
#ifndef EXAMPLES_QUICKSTART_SUMMARY_H_
#define EXAMPLES_QUICKSTART_SUMMARY_H_

#include <string>

#include "examples/quickstart/calls.h"

namespace quickstart {

// The first call of each kind: one that succeeds at once, one that is retried
// after a backoff, ...
std::string FewCalls(const Calls& calls);

// How the calls on both channels ended.
std::string Table(const Calls& retrykit, const Calls& plain);

int CountOk(const Calls& calls);

}  // namespace quickstart

#endif  // EXAMPLES_QUICKSTART_SUMMARY_H_
