#include "examples/processes/server_process.h"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"

namespace examples {
namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::perror(what);
  std::exit(2);
}

}  // namespace

// A bound socket that does not listen: connections are refused, and nobody
// else gets the port. SO_REUSEPORT lets the server listen beside it.
ServerProcess::ServerProcess(std::vector<std::string> flags)
    : flags_(std::move(flags)),
      socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  Check(socket_ >= 0, "socket");
  Check(setsockopt(socket_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0,
        "SO_REUSEPORT");
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  Check(bind(socket_, generic, size) == 0, "bind");
  Check(getsockname(socket_, generic, &size) == 0, "getsockname");
  address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
}

ServerProcess::~ServerProcess() {
  Kill();
  close(socket_);
}

void ServerProcess::Start() {
  std::string self = "/proc/self/exe";
  std::vector<std::string> flags = flags_;
  flags.push_back(absl::StrCat("--serve=", address_));
  std::vector<char*> arguments = {self.data()};
  for (std::string& flag : flags) arguments.push_back(flag.data());
  arguments.push_back(nullptr);
  process_ = fork();
  Check(process_ >= 0, "fork");
  if (process_ != 0) return;
  execv(self.c_str(), arguments.data());
  _exit(2);
}

void ServerProcess::Kill() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void EndWithParent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace examples
