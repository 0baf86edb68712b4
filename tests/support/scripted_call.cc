#include "tests/support/scripted_call.h"

#include <grpcpp/security/auth_context.h>

#include <memory>

#include "interceptors/core/clock.h"
#include "proto/retrykit/testing/echo.pb.h"
#include "tests/support/byte_buffers.h"
#include "tests/support/real_time.h"
#include "tests/support/scripted_server.h"

namespace retrykit {

namespace {

using Type = ServerAction::Type;

Metadata PropertiesOf(const grpc::AuthContext& auth) {
  Metadata properties;
  for (const auto& [name, value] : auth) {
    properties.emplace(std::string(name.data(), name.size()),
                       std::string(value.data(), value.size()));
  }
  return properties;
}

}  // namespace

ScriptedCall::ScriptedCall(Host& host) : host_(host) {
  context_.AsyncNotifyWhenDone(&over_);
  host_.service().RequestCall(&context_, &stream_, &host_.queue(),
                              &host_.queue(), &arrived_);
}

void ScriptedCall::OnGateOpened() {
  if (awaited_gate_.empty() || !host_.GateIsOpen(awaited_gate_)) return;
  awaited_gate_.clear();
  Advance();
}

void ScriptedCall::OnArrived(bool ok) {
  // The server shuts down. Nothing has begun, so nothing else will be heard.
  if (!ok) return host_.Forget(this);
  host_.AcceptNext();
  Identify();
}

void ScriptedCall::Identify() {
  const Metadata metadata = CopyOf(context_.client_metadata());
  const std::string id = ValueOf(metadata, kCallIdHeader, "");
  if (!id.empty()) return Begin(id);
  Read();
}

void ScriptedCall::Begin(std::string id) {
  id_ = std::move(id);
  number_ = host_.log().Add(id_, Describe());
  script_ = host_.ScriptFor(id_, number_);
  for (const auto& [key, value] : script_.initial_metadata()) {
    context_.AddInitialMetadata(key, value);
  }
  for (const auto& [key, value] : script_.trailing_metadata()) {
    context_.AddTrailingMetadata(key, value);
  }
  Advance();
}

SeenAttempt ScriptedCall::Describe() const {
  SeenAttempt seen;
  seen.method = context_.method();
  seen.authority = context_.host();
  seen.peer = context_.peer();
  seen.metadata = CopyOf(context_.client_metadata());
  seen.auth = PropertiesOf(*context_.auth_context());
  seen.arrived = MonotonicClock().Now();
  seen.time_left = TimeLeft(context_.deadline());
  return seen;
}

void ScriptedCall::Advance() {
  while (!is_over_ && !answered_ && next_ < script_.actions().size()) {
    if (!Perform(script_.actions()[next_++])) return;
  }
}

bool ScriptedCall::Perform(const ServerAction& action) {
  current_ = action.type;
  switch (action.type) {
    case Type::kReadMessage:
    case Type::kReadToHalfClose:
      return Read();
    case Type::kSendInitialMetadata:
      operation_pending_ = true;
      stream_.SendInitialMetadata(&operation_);
      return false;
    case Type::kSendEcho:
      return Send(Echo(action.text));
    case Type::kSendBytes:
      return Send(action.text);
    case Type::kWaitForGate:
      return AwaitGate(action.text);
    case Type::kDelay:
      return Delay(action.delay);
    case Type::kFinish:
      return Finish(action.status);
  }
  return true;
}

bool ScriptedCall::Read() {
  if (!read_ahead_.empty()) {
    Record(read_ahead_.front());
    read_ahead_.pop_front();
    if (current_ == Type::kReadMessage) return true;
  }
  operation_pending_ = true;
  incoming_.Clear();
  stream_.Read(&incoming_, &operation_);
  return false;
}

bool ScriptedCall::Send(const std::string& bytes) {
  operation_pending_ = true;
  stream_.Write(BufferOf(bytes), &operation_);
  return false;
}

bool ScriptedCall::AwaitGate(const std::string& gate) {
  if (host_.GateIsOpen(gate)) return true;
  awaited_gate_ = gate;
  return false;
}

bool ScriptedCall::Delay(absl::Duration delay) {
  operation_pending_ = true;
  alarm_.Set(&host_.queue(), DeadlineIn(delay), &operation_);
  return false;
}

bool ScriptedCall::Finish(const grpc::Status& status) {
  operation_pending_ = true;
  answered_ = true;
  stream_.Finish(status, &operation_);
  return false;
}

void ScriptedCall::OnOperationDone(bool ok) {
  operation_pending_ = false;
  if (is_over_ || answered_) return ForgetIfOver();
  // A failed write or timer: the call is dying, and its end will be told.
  const bool reads = !identified() || current_ == Type::kReadMessage ||
                     current_ == Type::kReadToHalfClose;
  if (!ok && !reads) return;
  if (!reads) return Advance();
  if (ok) return OnMessage();
  if (!identified()) return Begin("");
  host_.log().Update(id_, number_,
                     [](SeenAttempt& seen) { seen.half_closed = true; });
  Advance();
}

void ScriptedCall::OnMessage() {
  const std::string bytes = BytesOf(incoming_);
  if (!identified()) {
    testing::EchoRequest request;
    read_ahead_.push_back(bytes);
    // A request that does not parse is a call without an id.
    static_cast<void>(request.ParseFromString(bytes));
    return Begin(request.id());
  }
  Record(bytes);
  if (current_ == Type::kReadMessage) return Advance();
  Read();
}

void ScriptedCall::Record(const std::string& message) {
  last_request_ = message;
  host_.log().Update(id_, number_, [&message](SeenAttempt& seen) {
    seen.requests.push_back(message);
  });
}

std::string ScriptedCall::Echo(const std::string& text) const {
  testing::EchoRequest request;
  static_cast<void>(request.ParseFromString(last_request_));
  testing::EchoResponse response;
  response.set_message(text.empty() ? request.message() : text);
  response.set_attempt(number_);
  return response.SerializeAsString();
}

void ScriptedCall::OnOver() {
  is_over_ = true;
  if (identified()) {
    const bool cancelled = context_.IsCancelled() && !answered_;
    host_.log().Update(id_, number_, [cancelled](SeenAttempt& seen) {
      seen.ended = true;
      seen.cancelled = cancelled;
    });
  }
  if (operation_pending_ && current_ == Type::kDelay) alarm_.Cancel();
  ForgetIfOver();
}

void ScriptedCall::ForgetIfOver() {
  if (is_over_ && !operation_pending_) host_.Forget(this);
}

}  // namespace retrykit
