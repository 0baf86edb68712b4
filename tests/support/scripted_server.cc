#include "tests/support/scripted_server.h"

#include <grpc/grpc.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/support/real_time.h"

namespace retrykit {

const char kCallIdHeader[] = "x-test-call";

ScriptedServer::ScriptedServer(const Options& options) : options_(options) {
  if (options.start) Start();
}

ScriptedServer::~ScriptedServer() { Stop(); }

void ScriptedServer::Script(const std::string& id,
                            std::vector<AttemptScript> attempts) {
  MutexLock lock(mu_);
  scripts_[id] = std::move(attempts);
}

void ScriptedServer::OpenGate(const std::string& gate) {
  MutexLock lock(mu_);
  open_gates_.insert(gate);
  if (!running_) return;
  gate_alarms_.push_back(std::make_unique<grpc::Alarm>());
  gate_alarms_.back()->Set(queue_.get(), DeadlineIn(absl::ZeroDuration()),
                           &gate_tag_);
}

void ScriptedServer::Start() {
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort(port_.address(),
                           options_.credentials != nullptr
                               ? options_.credentials
                               : grpc::InsecureServerCredentials(),
                           &bound);
  if (options_.keep_compressed) {
    builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  }
  if (options_.fixed_window) {
    builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  }
  service_ = std::make_unique<grpc::AsyncGenericService>();
  builder.RegisterAsyncGenericService(service_.get());
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || bound != port_.number()) {
    std::fprintf(stderr, "cannot listen on %s\n", port_.address().c_str());
    std::abort();
  }
  {
    MutexLock lock(mu_);
    running_ = true;
  }
  AcceptNext();
  thread_ = std::thread([this] { Serve(); });
}

// 1. The server stops accepting and cancels all calls. 2. They end on the
// server's thread. 3. Only then the queue may be shut down: ending calls use
// it.
void ScriptedServer::Stop() {
  {
    MutexLock lock(mu_);
    if (!running_) return;
    running_ = false;
  }
  server_->Shutdown(DeadlineIn(absl::ZeroDuration()));
  {
    MutexLock lock(mu_);
    while (!calls_.empty()) calls_changed_.Wait(mu_);
  }
  queue_->Shutdown();
  thread_.join();
  MutexLock lock(mu_);
  gate_alarms_.clear();
  server_.reset();
}

void ScriptedServer::Kill() {
  port_.CutConnections();
  Stop();
}

AttemptScript ScriptedServer::ScriptFor(const std::string& id, int number) {
  MutexLock lock(mu_);
  const auto found = scripts_.find(id);
  if (found == scripts_.end() || found->second.empty()) {
    return AttemptScript::Ok();
  }
  const std::vector<AttemptScript>& attempts = found->second;
  const auto last = attempts.size() - 1;
  return attempts[std::min(static_cast<size_t>(number - 1), last)];
}

bool ScriptedServer::GateIsOpen(const std::string& gate) {
  MutexLock lock(mu_);
  return open_gates_.count(gate) > 0;
}

void ScriptedServer::AcceptNext() {
  MutexLock lock(mu_);
  ScriptedCall::Host& host = *this;
  auto call = std::make_unique<ScriptedCall>(host);
  ScriptedCall* const key = call.get();
  calls_[key] = std::move(call);
}

void ScriptedServer::Forget(ScriptedCall* call) {
  std::unique_ptr<ScriptedCall> forgotten;
  MutexLock lock(mu_);
  const auto found = calls_.find(call);
  forgotten = std::move(found->second);
  calls_.erase(found);
  calls_changed_.NotifyAll();
}

void ScriptedServer::Serve() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) static_cast<QueueTag*>(tag)->Run(ok);
}

void ScriptedServer::OnGateOpened() {
  std::vector<ScriptedCall*> calls;
  {
    MutexLock lock(mu_);
    for (const auto& entry : calls_) calls.push_back(entry.first);
  }
  for (ScriptedCall* call : calls) call->OnGateOpened();
}

}  // namespace retrykit
