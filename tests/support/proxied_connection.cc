#include "tests/support/proxied_connection.h"

#include <sys/poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

namespace retrykit {

namespace {

constexpr size_t kPieceSize = size_t{16} << 10;
// Per direction; a sender that is faster has to wait.
constexpr size_t kMostWaiting = size_t{256} << 10;

bool Happens(double probability, SeededRandom& random) {
  return probability > 0 &&
         std::uniform_real_distribution<double>(0, 1)(random) < probability;
}

absl::Duration UpTo(absl::Duration most, SeededRandom& random) {
  return most * std::uniform_real_distribution<double>(0, 1)(random);
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK; }

// A closed socket that still lingers for zero seconds sends RST.
void CloseWithReset(int socket) {
  const linger none = {1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  close(socket);
}

}  // namespace

ProxiedConnection::ProxiedConnection(int client, int target)
    : sockets_{client, target},
      directions_{{kClient, kTarget, {}}, {kTarget, kClient, {}}} {}

ProxiedConnection::~ProxiedConnection() {
  for (const int socket : sockets_) {
    if (socket >= 0) close(socket);
  }
}

void ProxiedConnection::Reset() {
  for (int& socket : sockets_) {
    if (socket >= 0) CloseWithReset(socket);
    socket = -1;
  }
}

bool ProxiedConnection::StandsStill(const Rules& rules, Instant now) const {
  return rules.stalled || now < stalled_until_;
}

short ProxiedConnection::EventsWanted(Side side, const Rules& rules,
                                      Instant now) const {
  if (StandsStill(rules, now)) return 0;
  const Direction& out = directions_[side];
  const Direction& in = directions_[1 - side];
  int events = 0;
  if (!out.ended && out.waiting < kMostWaiting) events |= POLLIN;
  if (!in.pieces.empty() && in.pieces.front().due <= now) events |= POLLOUT;
  return static_cast<short>(events);
}

Instant ProxiedConnection::NextDue(const Rules& rules, Instant now) const {
  if (rules.stalled) return Instant::InfiniteFuture();
  if (now < stalled_until_) return stalled_until_;
  Instant next = Instant::InfiniteFuture();
  for (const Direction& direction : directions_) {
    // What is due already waits for its socket alone.
    if (direction.pieces.empty() || direction.pieces.front().due <= now) {
      continue;
    }
    next = std::min(next, direction.pieces.front().due);
  }
  return next;
}

bool ProxiedConnection::Advance(Rules& rules, Instant now) {
  for (Direction& direction : directions_) {
    if (StandsStill(rules, now)) return true;
    if (!Receive(direction, rules, now)) return false;
  }
  for (Direction& direction : directions_) {
    if (StandsStill(rules, now)) return true;
    if (!Send(direction, rules, now)) return false;
    PassOnEnd(direction);
  }
  return !(directions_[0].shut_down && directions_[1].shut_down);
}

bool ProxiedConnection::Receive(Direction& direction, Rules& rules,
                                Instant now) {
  if (direction.ended || direction.waiting >= kMostWaiting) return true;
  std::string bytes(kPieceSize, '\0');
  const ssize_t got =
      recv(sockets_[direction.from], bytes.data(), bytes.size(), 0);
  if (got > 0) {
    bytes.resize(static_cast<size_t>(got));
    return Take(direction, std::move(bytes), rules, now);
  }
  if (got == 0) direction.ended = true;
  if (got == 0 || WouldBlock() || errno == EINTR) return true;
  Reset();  // The one side was broken, so the other is.
  return false;
}

bool ProxiedConnection::Take(Direction& direction, std::string bytes,
                             Rules& rules, Instant now) {
  const FaultChances& chances = rules.chances;
  if (Happens(chances.reset, rules.random)) {
    ++rules.counts.resets;
    Reset();
    return false;
  }
  if (Happens(chances.stall, rules.random)) {
    ++rules.counts.stalls;
    stalled_until_ = now + chances.stall_for;
  }
  absl::Duration delay = rules.delay;
  if (Happens(chances.delay, rules.random)) {
    ++rules.counts.delays;
    delay += UpTo(chances.longest_delay, rules.random);
  }
  direction.waiting += bytes.size();
  direction.pieces.push_back({std::move(bytes), now + delay});
  return true;
}

bool ProxiedConnection::Send(Direction& direction, Rules& rules, Instant now) {
  while (!direction.pieces.empty() && direction.pieces.front().due <= now) {
    const std::string& bytes = direction.pieces.front().bytes;
    const ssize_t sent =
        send(sockets_[direction.to], bytes.data() + direction.sent,
             bytes.size() - direction.sent, MSG_NOSIGNAL);
    if (sent < 0 && (WouldBlock() || errno == EINTR)) return true;
    if (sent < 0) {
      Reset();
      return false;
    }
    rules.counts.bytes += sent;
    direction.waiting -= static_cast<size_t>(sent);
    direction.sent += static_cast<size_t>(sent);
    if (direction.sent < bytes.size()) return true;
    direction.pieces.pop_front();
    direction.sent = 0;
  }
  return true;
}

void ProxiedConnection::PassOnEnd(Direction& direction) {
  if (!direction.ended || !direction.pieces.empty()) return;
  if (direction.shut_down) return;
  direction.shut_down = true;
  shutdown(sockets_[direction.to], SHUT_WR);
}

}  // namespace retrykit
