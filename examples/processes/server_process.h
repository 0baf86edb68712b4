// A server in a process of its own that can be killed and started again on
// the same port: this very program once more, with --serve=<address>.
//
//   examples::ServerProcess server;
//   server.Start();
//   ... calls to server.address() ...
//   server.Kill();
//
// Thread-safety: one thread.
#ifndef EXAMPLES_PROCESSES_SERVER_PROCESS_H_
#define EXAMPLES_PROCESSES_SERVER_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace examples {

class ServerProcess {
 public:
  // Takes a free port of the loopback interface; nothing listens on it yet.
  // `flags`: what the program is told beside --serve.
  explicit ServerProcess(std::vector<std::string> flags = {});
  ~ServerProcess();  // Kills.
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void Start();
  void Kill();  // kill -9: no goodbye to anybody.

  const std::string& address() const { return address_; }

 private:
  const std::vector<std::string> flags_;
  int socket_ = -1;  // Holds the port while no server does.
  pid_t process_ = -1;
  std::string address_;
};

// For the server's main: ends this process when the other one has ended.
void EndWithParent();

}  // namespace examples

#endif  // EXAMPLES_PROCESSES_SERVER_PROCESS_H_
