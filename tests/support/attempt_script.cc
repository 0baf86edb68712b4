#include "tests/support/attempt_script.h"

#include <algorithm>
#include <cstdint>

#include "proto/retrykit/v1/status_details.pb.h"

namespace retrykit {

namespace {

using Type = ServerAction::Type;

bool ComesBeforeAnswer(const ServerAction& action) {
  return action.type != Type::kSendEcho && action.type != Type::kSendBytes &&
         action.type != Type::kFinish;
}

}  // namespace

AttemptScript AttemptScript::Of(std::vector<ServerAction> actions) {
  AttemptScript script;
  script.actions_ = std::move(actions);
  return script;
}

AttemptScript AttemptScript::Ok(std::string text) {
  return Of({ServerAction::Of(Type::kReadMessage),
             ServerAction::Of(Type::kSendEcho, std::move(text)),
             ServerAction::Finish(grpc::Status())});
}

AttemptScript AttemptScript::OkWithoutMessage() {
  return Of({ServerAction::Of(Type::kReadMessage),
             ServerAction::Finish(grpc::Status())});
}

AttemptScript AttemptScript::OkWithBytes(std::string bytes) {
  return Of({ServerAction::Of(Type::kReadMessage),
             ServerAction::Of(Type::kSendBytes, std::move(bytes)),
             ServerAction::Finish(grpc::Status())});
}

AttemptScript AttemptScript::Fail(grpc::StatusCode code, std::string text,
                                  std::string details) {
  return Of(
      {ServerAction::Of(Type::kReadMessage),
       ServerAction::Finish(grpc::Status(code, text, std::move(details)))});
}

AttemptScript AttemptScript::Silent() {
  return Of({ServerAction::Of(Type::kReadMessage)});
}

AttemptScript AttemptScript::WithHeadersFirst() const {
  AttemptScript changed = *this;
  changed.actions_.insert(changed.actions_.begin(),
                          ServerAction::Of(Type::kSendInitialMetadata));
  return changed;
}

AttemptScript AttemptScript::WithInitialMetadata(std::string key,
                                                 std::string value) const {
  AttemptScript changed = *this;
  changed.initial_metadata_.emplace_back(std::move(key), std::move(value));
  return changed;
}

AttemptScript AttemptScript::WithTrailingMetadata(std::string key,
                                                  std::string value) const {
  AttemptScript changed = *this;
  changed.trailing_metadata_.emplace_back(std::move(key), std::move(value));
  return changed;
}

AttemptScript AttemptScript::WithPushback(std::string milliseconds) const {
  return WithTrailingMetadata("grpc-retry-pushback-ms",
                              std::move(milliseconds));
}

AttemptScript AttemptScript::WithRetryInfo(absl::Duration delay) const {
  AttemptScript changed = *this;
  grpc::Status& status = changed.actions_.back().status;
  status = grpc::Status(status.error_code(), status.error_message(),
                        RetryInfoDetails(delay));
  return changed;
}

AttemptScript AttemptScript::AfterGate(std::string gate) const {
  return BeforeAnswer(ServerAction::Of(Type::kWaitForGate, std::move(gate)));
}

AttemptScript AttemptScript::AfterDelay(absl::Duration delay) const {
  return BeforeAnswer(ServerAction::Delay(delay));
}

AttemptScript AttemptScript::BeforeAnswer(ServerAction action) const {
  AttemptScript changed = *this;
  const auto answer = std::find_if_not(
      changed.actions_.begin(), changed.actions_.end(), ComesBeforeAnswer);
  changed.actions_.insert(answer, std::move(action));
  return changed;
}

std::string RetryInfoDetails(absl::Duration delay) {
  v1::RetryInfo info;
  const int64_t seconds = absl::IDivDuration(delay, absl::Seconds(1), &delay);
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(delay)));
  v1::StatusDetails details;
  google::protobuf::Any* any = details.add_details();
  any->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  any->set_value(info.SerializeAsString());
  return details.SerializeAsString();
}

}  // namespace retrykit
