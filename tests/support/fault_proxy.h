// A TCP proxy on a loopback port that breaks what goes through it, on command
// or by seeded chance. It knows nothing of HTTP/2.
//
//   FaultProxy proxy(server_port);
//   ... clients call proxy.address() ...
//   proxy.ResetAll();  // RST on every connection.
//   FaultChances chances;
//   chances.reset = 0.001;
//   proxy.SetChances(chances);
//
// Faults on command hold for all connections, those that come later too, until
// they are taken back; they have happened when the function returns.
//
// Thread-safety: all members may be called from any thread.
// Lifetime: the destructor ends its thread and closes all connections.
#ifndef TESTS_SUPPORT_FAULT_PROXY_H_
#define TESTS_SUPPORT_FAULT_PROXY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "interceptors/core/mutex.h"
#include "tests/support/loopback_port.h"
#include "tests/support/proxied_connection.h"

namespace retrykit {

class FaultProxy {
 public:
  // Forwards to `target_port` of 127.0.0.1 and accepts connections at once. A
  // target that refuses is passed on as a reset.
  explicit FaultProxy(int target_port, uint64_t seed = 20210823);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const { return port_.number(); }
  std::string address() const { return port_.address(); }

  // Of what comes in from now on.
  void SetChances(const FaultChances& chances);
  // Every piece of bytes that comes in from now on is handed on that much
  // later. Zero: at once. Default: zero.
  void SetDelay(absl::Duration delay);

  // Nothing is read or written until Resume(); connecting goes on.
  void Stall();
  void Resume();

  // Ends all connections with RST, as a lost machine or a firewall does.
  void ResetAll();
  // Closes all connections in order, as a process that is killed does.
  void KillAll();

  // New connections are refused until Accept(); those that exist stay.
  void Refuse();
  void Accept();

  FaultCounts counts();
  // Connections that are open now.
  size_t open_connections();

 private:
  using Rules = ProxiedConnection::Rules;

  // Runs `command` on the proxy's thread and waits for its end.
  void Do(const std::function<void()>& command);
  void Listen();
  void StopListening();

  // The proxy's thread.
  void Run();
  void WaitForEvents();
  bool RunCommands();  // False: it is to end.
  void AcceptConnections();
  void AddConnection(int client);
  void AdvanceConnections();

  const LoopbackPort port_;
  const int target_port_;
  const int wake_;  // An eventfd.

  // The proxy's thread alone.
  int listener_ = -1;
  Rules rules_;
  std::vector<std::unique_ptr<ProxiedConnection>> connections_;

  Mutex mu_;
  CondVar commands_done_;
  std::vector<const std::function<void()>*> commands_ ABSL_GUARDED_BY(mu_);
  int64_t commands_given_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t commands_ended_ ABSL_GUARDED_BY(mu_) = 0;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_FAULT_PROXY_H_
