#include "tests/support/loopback_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace retrykit {

namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::perror(what);
  std::abort();
}

sockaddr_in Loopback() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The port that `name` (getsockname or getpeername) gives for the socket; 0 if
// it has none.
template <typename Name>
int PortOf(int socket, Name name) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (name(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  // gRPC listens and accepts with IPv6 sockets too; the port stands at the same
  // place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

std::vector<int> OpenFiles() {
  std::vector<int> files;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    int file = -1;
    if (absl::SimpleAtoi(entry.path().filename().string(), &file)) {
      files.push_back(file);
    }
  }
  return files;
}

}  // namespace

// A bound socket that does not listen: connections are refused. SO_REUSEPORT
// lets a server of the same user listen beside it.
LoopbackPort::LoopbackPort() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  const int on = 1;
  Check(socket_ >= 0, "socket");
  Check(setsockopt(socket_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0,
        "SO_REUSEPORT");
  sockaddr_in address = Loopback();
  Check(bind(socket_, reinterpret_cast<const sockaddr*>(&address),
             sizeof(address)) == 0,
        "bind");
  number_ = PortOf(socket_, getsockname);
  Check(number_ != 0, "getsockname");
}

LoopbackPort::~LoopbackPort() { close(socket_); }

std::string LoopbackPort::address() const {
  return absl::StrCat("127.0.0.1:", number_);
}

void LoopbackPort::CutConnections() const {
  for (const int file : OpenFiles()) {
    if (PortOf(file, getsockname) == number_ &&
        PortOf(file, getpeername) != 0) {
      shutdown(file, SHUT_RDWR);
    }
  }
}

}  // namespace retrykit
