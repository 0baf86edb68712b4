// A server with a long tail: one answer in twenty-five takes 50 ms, all others
// 1 ms.
#ifndef EXAMPLES_HEDGING_TAIL_SERVER_H_
#define EXAMPLES_HEDGING_TAIL_SERVER_H_

#include <string>

namespace hedging {

// Serves the echo service until the process ends; returns if it cannot.
int RunTailServer(const std::string& address);

}  // namespace hedging

#endif  // EXAMPLES_HEDGING_TAIL_SERVER_H_
