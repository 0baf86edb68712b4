// A TCP port of 127.0.0.1 that belongs to the test, whether a server listens on
// it or not: connecting is refused in between, and no other process gets it.
//
//   LoopbackPort port;
//   ... a gRPC server starts on port.address(), stops, and starts again ...
//
// Thread-safety: any thread.
#ifndef TESTS_SUPPORT_LOOPBACK_PORT_H_
#define TESTS_SUPPORT_LOOPBACK_PORT_H_

#include <string>

namespace retrykit {

class LoopbackPort {
 public:
  LoopbackPort();
  ~LoopbackPort();
  LoopbackPort(const LoopbackPort&) = delete;
  LoopbackPort& operator=(const LoopbackPort&) = delete;

  int number() const { return number_; }
  std::string address() const;  // "127.0.0.1:<number>"

  // Ends every connection that this process has accepted on the port, as a
  // crash would: without a word of HTTP/2.
  void CutConnections() const;

 private:
  int socket_ = -1;
  int number_ = 0;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_LOOPBACK_PORT_H_
