// A real gRPC server on a loopback port that does what a script says.
//
//   ScriptedServer server;
//   server.Script("call", {AttemptScript::Fail(grpc::ABORTED),
//                          AttemptScript::Ok("done")});
//   ... a client calls server.address() with the id "call" ...
//   EXPECT_EQ(server.log().Attempts("call").size(), 2u);
//
// What happens is decided by the call's id and the number of the attempt, so
// that calls side by side do not disturb each other. The id is the value of
// kCallIdHeader or, without that header, the `id` of the first EchoRequest. A
// script's last entry holds for all further attempts; a call without a script
// is answered OK with its own message.
//
// It serves every method, of all four kinds, and runs on a thread and a
// completion queue of its own: it never waits for gRPC's callback threads,
// whatever the client under test does with them.
//
// Thread-safety: all members may be called from any thread, but Start, Stop
// and Kill from one at a time.
#ifndef TESTS_SUPPORT_SCRIPTED_SERVER_H_
#define TESTS_SUPPORT_SCRIPTED_SERVER_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "interceptors/core/mutex.h"
#include "tests/support/attempt_log.h"
#include "tests/support/attempt_script.h"
#include "tests/support/loopback_port.h"
#include "tests/support/scripted_call.h"

namespace retrykit {

// The metadata key that carries a call's id.
extern const char kCallIdHeader[];

class ScriptedServer : private ScriptedCall::Host {
 public:
  struct Options {
    std::shared_ptr<grpc::ServerCredentials> credentials;  // Null: insecure.
    // Compressed requests are recorded as they came, not unpacked.
    bool keep_compressed = false;
    // Streams take 64 KiB before they are read; else gRPC lets that grow.
    bool fixed_window = false;
    // Whether the server listens at once; else the port refuses until Start().
    bool start = true;
  };

  ScriptedServer() : ScriptedServer(Options()) {}
  explicit ScriptedServer(const Options& options);
  ~ScriptedServer() override;

  std::string address() const { return port_.address(); }
  // The running server, for in-process channels.
  grpc::Server& server() { return *server_; }

  void Script(const std::string& id, std::vector<AttemptScript> attempts);
  // Lets through whatever waits for `gate`, now or later.
  void OpenGate(const std::string& gate);
  AttemptLog& log() override { return log_; }

  // Listens, on the same port every time.
  void Start();
  // Stops listening and cancels what is in flight.
  void Stop();
  // The same as a crash: connections break first, without a word.
  void Kill();

 private:
  grpc::AsyncGenericService& service() override { return *service_; }
  grpc::ServerCompletionQueue& queue() override { return *queue_; }
  AttemptScript ScriptFor(const std::string& id, int number) override;
  bool GateIsOpen(const std::string& gate) override;
  void AcceptNext() override;
  void Forget(ScriptedCall* call) override;

  // The server's thread.
  void Serve();
  void OnGateOpened();

  const Options options_;
  const LoopbackPort port_;
  AttemptLog log_;
  std::unique_ptr<grpc::AsyncGenericService> service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
  QueueTag gate_tag_{[this](bool) { OnGateOpened(); }};

  Mutex mu_;
  CondVar calls_changed_;
  std::map<std::string, std::vector<AttemptScript>> scripts_
      ABSL_GUARDED_BY(mu_);
  std::set<std::string> open_gates_ ABSL_GUARDED_BY(mu_);
  // One for each event of gate_tag_ that may still come.
  std::vector<std::unique_ptr<grpc::Alarm>> gate_alarms_ ABSL_GUARDED_BY(mu_);
  // All that have arrived and have not ended, and the one that waits.
  std::map<ScriptedCall*, std::unique_ptr<ScriptedCall>> calls_
      ABSL_GUARDED_BY(mu_);
  bool running_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_SCRIPTED_SERVER_H_
