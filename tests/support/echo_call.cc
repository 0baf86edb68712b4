#include "tests/support/echo_call.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "interceptors/core/clock.h"
#include "tests/support/echo_drivers.h"

namespace retrykit {

const char* CallStyleName(CallStyle style) {
  switch (style) {
    case CallStyle::kSync:
      return "Sync";
    case CallStyle::kCq:
      return "Cq";
    case CallStyle::kCqReadMetadata:
      return "CqReadMetadata";
    case CallStyle::kCallback:
      return "Callback";
    case CallStyle::kReactor:
      return "Reactor";
  }
  return "Unknown";
}

std::string CallStyleTestName(const ::testing::TestParamInfo<CallStyle>& info) {
  return CallStyleName(info.param);
}

EchoCallState::EchoCallState(testing::EchoRequest request,
                             std::unique_ptr<grpc::ClientContext> context)
    : request_(std::move(request)), context_(std::move(context)) {}

void EchoCallState::Started() {
  MutexLock lock(mu_);
  started_ = MonotonicClock().Now();
}

void EchoCallState::HeadersArrived(bool ok) {
  MutexLock lock(mu_);
  headers_arrived_ = true;
  result_.headers_ok = ok;
  changed_.NotifyAll();
}

void EchoCallState::Completed(const grpc::Status& status, bool queue_ok) {
  const Instant now = MonotonicClock().Now();
  MutexLock lock(mu_);
  ++result_.completions;
  result_.status = status;
  result_.response = response_;
  result_.initial_metadata = CopyOf(context_->GetServerInitialMetadata());
  result_.trailing_metadata = CopyOf(context_->GetServerTrailingMetadata());
  result_.thread = std::this_thread::get_id();
  result_.queue_ok = queue_ok;
  result_.duration = now - started_;
  ended_ = true;
  changed_.NotifyAll();
}

bool EchoCallState::WaitForHeaders(absl::Duration patience) const {
  MutexLock lock(mu_);
  return WaitFor(headers_arrived_, patience);
}

bool EchoCallState::WaitForEnd(absl::Duration patience) const {
  MutexLock lock(mu_);
  return WaitFor(ended_, patience);
}

bool EchoCallState::WaitFor(const bool& flag, absl::Duration patience) const {
  const Instant until = MonotonicClock().Now() + patience;
  while (!flag && MonotonicClock().Now() < until) {
    changed_.WaitUntil(mu_, until);
  }
  return flag;
}

EchoResult EchoCallState::result() const {
  MutexLock lock(mu_);
  return result_;
}

EchoCall::EchoCall(CallStyle style,
                   std::shared_ptr<grpc::ChannelInterface> channel,
                   testing::EchoRequest request,
                   std::unique_ptr<grpc::ClientContext> context)
    : state_(std::move(request), context != nullptr
                                     ? std::move(context)
                                     : std::make_unique<grpc::ClientContext>()),
      stub_(testing::Echo::NewStub(std::move(channel))),
      driver_(NewEchoDriver(style)) {}

EchoCall::~EchoCall() {
  if (!started_) return;
  if (!WaitForEnd()) Cancel();
  if (!WaitForEnd()) {
    std::fprintf(stderr, "a call has not ended, not even when cancelled\n");
    std::abort();
  }
  EXPECT_EQ(state_.result().completions, 1);
}

void EchoCall::Start() {
  started_ = true;
  state_.Started();
  driver_->Start(*stub_, state_);
}

EchoResult EchoCall::Wait() const {
  EXPECT_TRUE(WaitForEnd()) << "the call has not ended";
  return state_.result();
}

testing::EchoRequest RequestFor(const std::string& id,
                                const std::string& message) {
  testing::EchoRequest request;
  request.set_id(id);
  request.set_message(message);
  return request;
}

EchoResult CallEcho(CallStyle style,
                    const std::shared_ptr<grpc::ChannelInterface>& channel,
                    const testing::EchoRequest& request,
                    const std::function<void(grpc::ClientContext&)>& prepare) {
  EchoCall call(style, channel, request);
  if (prepare) prepare(call.context());
  call.Start();
  return call.Wait();
}

}  // namespace retrykit
