#include "tests/support/fault_proxy.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "interceptors/core/clock.h"
#include "tests/support/loopback_port.h"
#include "tests/support/real_time.h"

namespace retrykit {
namespace {

size_t OpenFiles() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                    std::filesystem::directory_iterator()));
}

sockaddr_in AddressOf(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// A blocking socket whose reads and writes give up after kPatience.
class Peer {
 public:
  explicit Peer(int file) : file_(file) {
    const timeval patience = absl::ToTimeval(kPatience);
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(file_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  }
  ~Peer() { Close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void Close() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }
  void EndWriting() { shutdown(file_, SHUT_WR); }
  void Write(const std::string& bytes) {
    EXPECT_EQ(send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // That many bytes; fewer at the end.
  std::string Read(size_t count) {
    std::string bytes(count, '\0');
    const ssize_t got = recv(file_, bytes.data(), count, MSG_WAITALL);
    bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return bytes;
  }
  // What reading gives when there is nothing: 0 at an orderly end, else errno.
  int End() {
    char byte;
    const ssize_t got = recv(file_, &byte, 1, 0);
    return got < 0 ? errno : static_cast<int>(got);
  }
  bool HasBytes() {
    char byte;
    return recv(file_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }

 private:
  int file_;
};

// Null if the port refuses.
std::unique_ptr<Peer> Connect(int port) {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = AddressOf(port);
  if (connect(file, reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0) {
    return std::make_unique<Peer>(file);
  }
  close(file);
  return nullptr;
}

class Listener {
 public:
  Listener() : file_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = AddressOf(0);
    socklen_t size = sizeof(address);
    bind(file_, reinterpret_cast<const sockaddr*>(&address), size);
    listen(file_, 10);
    getsockname(file_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(file_); }

  int port() const { return port_; }
  std::unique_ptr<Peer> Accept() {
    return std::make_unique<Peer>(accept(file_, nullptr, nullptr));
  }

 private:
  int file_;
  int port_ = 0;
};

class FaultProxyTest : public ::testing::Test {
 protected:
  FaultProxyTest() { Reconnect(); }

  void Reconnect() {
    client_ = Connect(proxy_.port());
    ASSERT_NE(client_, nullptr);
    server_ = listener_.Accept();
  }
  // How long a byte takes from client to server.
  absl::Duration TimeOfOneByte() {
    const Instant start = MonotonicClock().Now();
    client_->Write("x");
    EXPECT_EQ(server_->Read(1), "x");
    return MonotonicClock().Now() - start;
  }

  Listener listener_;
  FaultProxy proxy_{listener_.port()};
  std::unique_ptr<Peer> client_;
  std::unique_ptr<Peer> server_;
};

TEST_F(FaultProxyTest, ForwardsBothWays) {
  client_->Write("hello");
  EXPECT_EQ(server_->Read(5), "hello");
  server_->Write("good day");
  EXPECT_EQ(client_->Read(8), "good day");
  EXPECT_TRUE(Eventually([&] { return proxy_.counts().bytes == 13; }));
  EXPECT_EQ(proxy_.counts().connections, 1);
  EXPECT_EQ(proxy_.open_connections(), 1u);
}

TEST_F(FaultProxyTest, ForwardsTheEndOfEachDirection) {
  client_->Write("last");
  client_->EndWriting();
  EXPECT_EQ(server_->Read(10), "last");
  EXPECT_EQ(server_->End(), 0);
  server_->Write("answer");
  server_->Close();
  EXPECT_EQ(client_->Read(10), "answer");
  EXPECT_EQ(client_->End(), 0);
  EXPECT_TRUE(Eventually([&] { return proxy_.open_connections() == 0; }));
}

TEST_F(FaultProxyTest, KeepsOrderAndContentOfManyBytesThatAreDelayed) {
  proxy_.SetChances({/*reset=*/0, /*stall=*/0.2,
                     /*stall_for=*/absl::Milliseconds(1),
                     /*delay=*/0.3, /*longest_delay=*/absl::Milliseconds(2)});
  std::string bytes;
  for (int i = 0; bytes.size() < (1 << 20); ++i) bytes += std::to_string(i);
  std::thread writer([&] { client_->Write(bytes); });
  EXPECT_TRUE(server_->Read(bytes.size()) == bytes);
  writer.join();
  EXPECT_GT(proxy_.counts().delays, 0);
  EXPECT_GT(proxy_.counts().stalls, 0);
}

TEST_F(FaultProxyTest, DelaysEveryPieceOnCommand) {
  proxy_.SetDelay(absl::Milliseconds(60));
  EXPECT_GE(TimeOfOneByte(), absl::Milliseconds(60));
  proxy_.SetDelay(absl::ZeroDuration());
  EXPECT_LT(TimeOfOneByte(), kTooLate);
}

TEST_F(FaultProxyTest, ResetsByChance) {
  FaultChances chances;
  chances.reset = 1;
  proxy_.SetChances(chances);
  client_->Write("x");
  EXPECT_EQ(client_->End(), ECONNRESET);
  EXPECT_EQ(server_->End(), ECONNRESET);
  EXPECT_EQ(proxy_.counts().resets, 1);
  EXPECT_EQ(proxy_.open_connections(), 0u);
}

TEST_F(FaultProxyTest, ResetsAllOnCommand) {
  const auto second = Connect(proxy_.port());
  const auto second_server = listener_.Accept();
  proxy_.ResetAll();
  for (Peer* peer :
       {client_.get(), server_.get(), second.get(), second_server.get()}) {
    EXPECT_EQ(peer->End(), ECONNRESET);
  }
  EXPECT_EQ(proxy_.counts().resets, 2);
  Reconnect();
  TimeOfOneByte();
}

TEST_F(FaultProxyTest, KillsAllInOrder) {
  proxy_.KillAll();
  EXPECT_EQ(client_->End(), 0);
  EXPECT_EQ(server_->End(), 0);
  EXPECT_EQ(proxy_.counts().kills, 1);
}

TEST_F(FaultProxyTest, StallsUntilResumed) {
  proxy_.Stall();
  client_->Write("x");
  const auto second = Connect(proxy_.port());
  EXPECT_NE(second, nullptr);
  LetPass(absl::Milliseconds(50));
  EXPECT_FALSE(server_->HasBytes());
  proxy_.Resume();
  EXPECT_EQ(server_->Read(1), "x");
}

TEST_F(FaultProxyTest, RefusesUntilItAcceptsAgain) {
  proxy_.Refuse();
  proxy_.Refuse();
  EXPECT_EQ(Connect(proxy_.port()), nullptr);
  TimeOfOneByte();  // What was there stays.
  proxy_.Accept();
  proxy_.Accept();
  Reconnect();
  TimeOfOneByte();
}

TEST_F(FaultProxyTest, AResetOfOneSideReachesTheOther) {
  client_->Write("unread");
  EXPECT_TRUE(Eventually([&] { return server_->HasBytes(); }));
  server_->Close();  // With something unread: RST.
  EXPECT_EQ(client_->End(), ECONNRESET);
}

TEST_F(FaultProxyTest, TheSameSeedResetsTheSamePieces) {
  FaultChances chances;
  chances.reset = 0.2;
  const auto pieces_until_reset = [&](uint64_t seed) {
    FaultProxy proxy(listener_.port(), seed);
    proxy.SetChances(chances);
    const auto client = Connect(proxy.port());
    const auto server = listener_.Accept();
    int pieces = 0;
    do {
      client->Write("x");
      ++pieces;
    } while (server->Read(1) == "x");
    return pieces;
  };
  EXPECT_EQ(pieces_until_reset(1), pieces_until_reset(1));
  EXPECT_EQ(pieces_until_reset(2), pieces_until_reset(2));
}

TEST(FaultProxyLifetimeTest, ATargetThatRefusesIsPassedOnAsReset) {
  const LoopbackPort nobody;
  FaultProxy proxy(nobody.number());
  const auto client = Connect(proxy.port());
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(client->End(), ECONNRESET);
  EXPECT_EQ(proxy.counts().unreachable, 1);
}

TEST(FaultProxyLifetimeTest, LeavesNoFileOpen) {
  Listener listener;
  const size_t before = OpenFiles();
  {
    FaultProxy proxy(listener.port());
    const auto client = Connect(proxy.port());
    const auto server = listener.Accept();
    proxy.Stall();
    client->Write("still on its way");
  }
  EXPECT_EQ(OpenFiles(), before);
}

}  // namespace
}  // namespace retrykit
