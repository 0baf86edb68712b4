// The ways of echo_stream.h, one file per API.
#ifndef TESTS_SUPPORT_ECHO_STREAM_DRIVERS_H_
#define TESTS_SUPPORT_ECHO_STREAM_DRIVERS_H_

#include <grpcpp/support/async_stream.h>

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"
#include "tests/support/echo_stream.h"

namespace retrykit {

std::unique_ptr<EchoStream> NewSyncStream(
    StreamKind kind, std::shared_ptr<grpc::ChannelInterface> channel,
    const std::string& id);
std::unique_ptr<EchoStream> NewCqStream(
    StreamKind kind, std::shared_ptr<grpc::ChannelInterface> channel,
    const std::string& id);
std::unique_ptr<EchoStream> NewReactorStream(
    StreamKind kind, std::shared_ptr<grpc::ChannelInterface> channel,
    const std::string& id);

// The end of one step, for the thread that waits for it. Used again for the
// next step of its kind.
class StepEnd {
 public:
  void Set(bool ok) {
    MutexLock lock(mu_);
    ended_ = true;
    ok_ = ok;
    changed_.NotifyAll();
  }
  bool Wait() {
    MutexLock lock(mu_);
    while (!ended_) changed_.Wait(mu_);
    return ok_;
  }
  void Reset() {
    MutexLock lock(mu_);
    ended_ = false;
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool ok_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_ECHO_STREAM_DRIVERS_H_
