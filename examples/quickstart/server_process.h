// A server in a process of its own that can be killed and started again on
// the same port: this very program once more, with --serve=<address>.
//
// Thread-safety: one thread.
#ifndef EXAMPLES_QUICKSTART_SERVER_PROCESS_H_
#define EXAMPLES_QUICKSTART_SERVER_PROCESS_H_

#include <sys/types.h>

#include <string>

namespace quickstart {

class ServerProcess {
 public:
  // Takes a free port of the loopback interface; nothing listens on it yet.
  ServerProcess();
  ~ServerProcess();  // Kills.
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void Start();
  void Kill();  // kill -9: no goodbye to anybody.

  const std::string& address() const { return address_; }

 private:
  int socket_ = -1;  // Holds the port while no server does.
  pid_t process_ = -1;
  std::string address_;
};

// For the server's main: ends this process when the other one has ended.
void EndWithParent();

}  // namespace quickstart

#endif  // EXAMPLES_QUICKSTART_SERVER_PROCESS_H_
