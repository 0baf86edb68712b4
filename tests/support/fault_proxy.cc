#include "tests/support/fault_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "interceptors/core/clock.h"

namespace retrykit {

namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::perror(what);
  std::abort();
}

sockaddr_in LoopbackAddress(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

void DoNotBlock(int file) {
  int on = 1;
  Check(ioctl(file, FIONBIO, &on) == 0, "FIONBIO");
}

void SendAtOnce(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

// A connected socket; -1 if the port refuses.
int ConnectTo(int port) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Check(file >= 0, "socket");
  const sockaddr_in address = LoopbackAddress(port);
  // On the loopback interface this does not wait.
  if (connect(file, reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0) {
    return file;
  }
  close(file);
  return -1;
}

// Milliseconds for poll(), rounded up; -1: for ever.
int PollTimeout(Instant until, Instant now) {
  if (until.is_infinite()) return -1;
  const double left = absl::ToDoubleMilliseconds(until - now);
  return left <= 0 ? 0 : static_cast<int>(std::min(left, 60000.0)) + 1;
}

}  // namespace

FaultProxy::FaultProxy(int target_port, uint64_t seed)
    : target_port_(target_port), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  Check(wake_ >= 0, "eventfd");
  rules_.random = SeededRandom(seed);
  Listen();
  thread_ = std::thread([this] { Run(); });
}

FaultProxy::~FaultProxy() {
  Do([this] {
    MutexLock lock(mu_);
    ending_ = true;
  });
  thread_.join();
  StopListening();
  close(wake_);
}

void FaultProxy::SetChances(const FaultChances& chances) {
  Do([&] { rules_.chances = chances; });
}

void FaultProxy::SetDelay(absl::Duration delay) {
  Do([&] { rules_.delay = delay; });
}

void FaultProxy::Stall() {
  Do([this] { rules_.stalled = true; });
}

void FaultProxy::Resume() {
  Do([this] { rules_.stalled = false; });
}

void FaultProxy::ResetAll() {
  Do([this] {
    rules_.counts.resets += static_cast<int64_t>(connections_.size());
    for (const auto& connection : connections_) connection->Reset();
    connections_.clear();
  });
}

void FaultProxy::KillAll() {
  Do([this] {
    rules_.counts.kills += static_cast<int64_t>(connections_.size());
    connections_.clear();
  });
}

void FaultProxy::Refuse() {
  Do([this] { StopListening(); });
}

void FaultProxy::Accept() {
  Do([this] { Listen(); });
}

FaultCounts FaultProxy::counts() {
  FaultCounts counts;
  Do([&] { counts = rules_.counts; });
  return counts;
}

size_t FaultProxy::open_connections() {
  size_t count = 0;
  Do([&] { count = connections_.size(); });
  return count;
}

void FaultProxy::Do(const std::function<void()>& command) {
  MutexLock lock(mu_);
  commands_.push_back(&command);
  const int64_t mine = ++commands_given_;
  Check(eventfd_write(wake_, 1) == 0, "eventfd_write");
  while (commands_ended_ < mine) commands_done_.Wait(mu_);
}

// Beside port_'s own socket, which keeps the port while nothing listens.
void FaultProxy::Listen() {
  if (listener_ >= 0) return;
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Check(listener_ >= 0, "socket");
  const int on = 1;
  Check(setsockopt(listener_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0,
        "SO_REUSEPORT");
  // Connections that linger in TIME_WAIT must not be in the way.
  Check(setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0,
        "SO_REUSEADDR");
  const sockaddr_in address = LoopbackAddress(port());
  Check(bind(listener_, reinterpret_cast<const sockaddr*>(&address),
             sizeof(address)) == 0,
        "bind");
  Check(listen(listener_, SOMAXCONN) == 0, "listen");
  DoNotBlock(listener_);
}

void FaultProxy::StopListening() {
  if (listener_ >= 0) close(listener_);
  listener_ = -1;
}

void FaultProxy::Run() {
  while (RunCommands()) {
    AcceptConnections();
    AdvanceConnections();
    WaitForEvents();
  }
  connections_.clear();
}

void FaultProxy::WaitForEvents() {
  const Instant now = MonotonicClock().Now();
  Instant until = Instant::InfiniteFuture();
  std::vector<pollfd> files = {{wake_, POLLIN, 0}};
  if (listener_ >= 0) files.push_back({listener_, POLLIN, 0});
  for (const auto& connection : connections_) {
    until = std::min(until, connection->NextDue(rules_, now));
    for (const auto side :
         {ProxiedConnection::kClient, ProxiedConnection::kTarget}) {
      // poll() reports errors unasked, over and over: what is not waited for
      // is left out.
      const short events = connection->EventsWanted(side, rules_, now);
      if (events != 0) {
        files.push_back({connection->socket(side), events, 0});
      }
    }
  }
  poll(files.data(), files.size(), PollTimeout(until, now));
}

bool FaultProxy::RunCommands() {
  eventfd_t wakes = 0;
  eventfd_read(wake_, &wakes);
  std::vector<const std::function<void()>*> commands;
  {
    MutexLock lock(mu_);
    commands.swap(commands_);
  }
  for (const auto* command : commands) (*command)();
  MutexLock lock(mu_);
  commands_ended_ += static_cast<int64_t>(commands.size());
  commands_done_.NotifyAll();
  return !ending_;
}

void FaultProxy::AcceptConnections() {
  while (listener_ >= 0) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    AddConnection(client);
  }
}

void FaultProxy::AddConnection(int client) {
  const int target = ConnectTo(target_port_);
  if (target < 0) {
    ++rules_.counts.unreachable;
    ProxiedConnection(client, -1).Reset();
    return;
  }
  ++rules_.counts.connections;
  for (const int socket : {client, target}) {
    DoNotBlock(socket);
    SendAtOnce(socket);
  }
  connections_.push_back(std::make_unique<ProxiedConnection>(client, target));
}

void FaultProxy::AdvanceConnections() {
  const Instant now = MonotonicClock().Now();
  const auto ended = [&](const std::unique_ptr<ProxiedConnection>& connection) {
    return !connection->Advance(rules_, now);
  };
  connections_.erase(
      std::remove_if(connections_.begin(), connections_.end(), ended),
      connections_.end());
}

}  // namespace retrykit
