// The server that overhead calls: this very program once more, in a process of
// its own.
#ifndef TESTS_BENCHMARK_OVERHEAD_SERVER_H_
#define TESTS_BENCHMARK_OVERHEAD_SERVER_H_

#include <sys/types.h>

#include <string>

namespace retrykit {

// A request with this message and an id that three divides fails with
// UNAVAILABLE, unless it is a retry. All others are answered.
extern const char kFailing[];

// What the other process does: serves the echo service on a port of the
// loopback interface, writes the port's number to the pipe, never returns.
[[noreturn]] void RunOverheadServer(int pipe);

// Starts the process with `--serve=<pipe>`, for main to call the above. Must
// be made while the program has one thread. Thread-safety: one thread.
class OverheadServer {
 public:
  OverheadServer();
  ~OverheadServer();
  OverheadServer(const OverheadServer&) = delete;
  OverheadServer& operator=(const OverheadServer&) = delete;

  const std::string& address() const { return address_; }

 private:
  pid_t process_ = -1;
  std::string address_;
};

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_OVERHEAD_SERVER_H_
