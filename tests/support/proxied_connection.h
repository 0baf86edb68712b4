// One connection through a FaultProxy: two sockets, and in each direction the
// bytes that are on their way. Not for tests.
//
// Thread-safety: the proxy's thread alone.
#ifndef TESTS_SUPPORT_PROXIED_CONNECTION_H_
#define TESTS_SUPPORT_PROXIED_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "absl/time/time.h"
#include "interceptors/core/instant.h"
#include "tests/support/seeded_random.h"

namespace retrykit {

// What may happen to each piece of bytes (at most 16 KiB) that comes in, in
// either direction. Probabilities, from 0 to 1.
struct FaultChances {
  double reset = 0;  // The connection ends with RST on both sides.
  double stall = 0;  // The connection stands still, both ways, for `stall_for`.
  absl::Duration stall_for = absl::Milliseconds(100);
  double delay = 0;  // The piece comes later by up to `longest_delay`, and all
                     // that is behind it with it.
  absl::Duration longest_delay = absl::Milliseconds(20);
};

// What has happened since the proxy was made.
struct FaultCounts {
  int64_t connections = 0;  // Accepted and connected to the target.
  int64_t unreachable = 0;  // Accepted; the target refused.
  int64_t resets = 0;       // By chance and on command.
  int64_t kills = 0;        // Closed on command, without RST.
  int64_t stalls = 0;       // By chance.
  int64_t delays = 0;       // Pieces, by chance.
  int64_t bytes = 0;        // Handed on.
};

class ProxiedConnection {
 public:
  // What holds for all connections of a proxy.
  struct Rules {
    FaultChances chances;
    absl::Duration delay = absl::ZeroDuration();  // Of every piece.
    bool stalled = false;
    SeededRandom random;
    FaultCounts counts;
  };

  // Takes both sockets, which must not block.
  ProxiedConnection(int client, int target);
  // Closes them as an orderly end, if they are still open.
  ~ProxiedConnection();
  ProxiedConnection(const ProxiedConnection&) = delete;
  ProxiedConnection& operator=(const ProxiedConnection&) = delete;

  enum Side : unsigned char { kClient = 0, kTarget = 1 };
  int socket(Side side) const { return sockets_[side]; }
  // What to wait for at that side, as poll() takes it; 0: nothing.
  short EventsWanted(Side side, const Rules& rules, Instant now) const;
  // When something can go on without a word from the sockets.
  Instant NextDue(const Rules& rules, Instant now) const;

  // Reads and writes what goes. False: the connection has ended.
  bool Advance(Rules& rules, Instant now);

  // Closes both with RST.
  void Reset();

 private:
  struct Piece {
    std::string bytes;
    Instant due;
  };
  // From one side to the other.
  struct Direction {
    Side from;
    Side to;
    std::deque<Piece> pieces;
    size_t waiting = 0;      // Bytes in `pieces`.
    size_t sent = 0;         // Of the first piece.
    bool ended = false;      // `from` has said that there is no more.
    bool shut_down = false;  // `to` has been told.
  };

  bool StandsStill(const Rules& rules, Instant now) const;
  // False: the connection is broken.
  bool Receive(Direction& direction, Rules& rules, Instant now);
  bool Take(Direction& direction, std::string bytes, Rules& rules, Instant now);
  bool Send(Direction& direction, Rules& rules, Instant now);
  void PassOnEnd(Direction& direction);

  int sockets_[2];
  Direction directions_[2];
  Instant stalled_until_;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_PROXIED_CONNECTION_H_
