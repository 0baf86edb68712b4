// A server on a bad day: it refuses a third of the attempts and forgets to
// answer some.
#ifndef EXAMPLES_QUICKSTART_FLAKY_SERVER_H_
#define EXAMPLES_QUICKSTART_FLAKY_SERVER_H_

#include <string>

namespace quickstart {

// Serves on the address until the process is killed. Returns only if it could
// not start.
int RunFlakyServer(const std::string& address);

}  // namespace quickstart

#endif  // EXAMPLES_QUICKSTART_FLAKY_SERVER_H_
