#include "interceptors/adapter/status_text.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/random/distributions.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/retrykit/v1/status_details.pb.h"

namespace retrykit {
namespace {

constexpr char kPushbackKey[] = "grpc-retry-pushback-ms";
constexpr char kRetryInfoType[] = "type.googleapis.com/google.rpc.RetryInfo";
// Whatever host a server's type URLs name, as protobuf itself reads them.
constexpr char kRetryInfoName[] = "/google.rpc.RetryInfo";

Pushback ReadPushback(grpc::string_ref text) {
  int64_t millis = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &millis) ||
      millis < 0) {
    return Pushback::Stop();
  }
  return Pushback::Wait(absl::Milliseconds(millis));
}

absl::optional<absl::Duration> ReadRetryInfo(const std::string& details) {
  v1::StatusDetails status;
  if (!status.ParseFromString(details)) return absl::nullopt;
  for (const auto& detail : status.details()) {
    v1::RetryInfo info;
    if (!absl::EndsWith(detail.type_url(), kRetryInfoName) ||
        !info.ParseFromString(detail.value()))
      continue;
    const absl::Duration delay = absl::Seconds(info.retry_delay().seconds()) +
                                 absl::Nanoseconds(info.retry_delay().nanos());
    if (delay > absl::ZeroDuration()) return delay;
  }
  return absl::nullopt;
}

std::string RetryInfoDetails(const grpc::Status& status, absl::Duration delay) {
  // The longest that protobuf's Duration allows.
  delay = std::min(delay, absl::Seconds(315'576'000'000));
  v1::RetryInfo info;
  const int64_t seconds = absl::IDivDuration(delay, absl::Seconds(1), &delay);
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(delay)));
  v1::StatusDetails details;
  details.set_code(static_cast<int32_t>(status.error_code()));
  details.set_message(status.error_message());
  auto* detail = details.add_details();
  detail->set_type_url(kRetryInfoType);
  detail->set_value(info.SerializeAsString());
  return details.SerializeAsString();
}

std::string CodeName(const grpc::Status& status) {
  return absl::StatusCodeToString(
      static_cast<absl::StatusCode>(status.error_code()));
}

}  // namespace

AttemptOutcome OutcomeOf(
    const grpc::Status& status,
    const std::multimap<grpc::string_ref, grpc::string_ref>& trailing) {
  AttemptOutcome outcome;
  outcome.code = static_cast<absl::StatusCode>(status.error_code());
  if (status.ok()) return outcome;
  const auto pushback = trailing.find(kPushbackKey);
  if (pushback != trailing.end())
    outcome.pushback = ReadPushback(pushback->second);
  if (!status.error_details().empty())
    outcome.retry_info = ReadRetryInfo(status.error_details());
  return outcome;
}

grpc::Status Annotated(const grpc::Status& status, Reason reason, int attempts,
                       const grpc::Status* last_failure) {
  if (status.ok() || reason == Reason::kNotRetryable) return status;
  if (attempts <= 1 && !ReasonSpeaksAfterOneAttempt(reason)) return status;
  std::string text = status.error_message();
  if (last_failure != nullptr) {
    absl::StrAppend(&text, "; last status ", CodeName(*last_failure), ": ",
                    last_failure->error_message());
  }
  if (!absl::StrContains(text, "[retrykit: ")) {
    absl::StrAppend(&text, " [retrykit: ", ReasonText(reason), " after ",
                    attempts, " attempts]");
  }
  return grpc::Status(status.error_code(), text, status.error_details());
}

grpc::Status StatusWithoutAttempt(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kCancelled:
      return grpc::Status(grpc::StatusCode::CANCELLED, "CANCELLED");
    case absl::StatusCode::kDeadlineExceeded:
      return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED,
                          "Deadline Exceeded");
    default:
      return grpc::Status(static_cast<grpc::StatusCode>(code), "");
  }
}

grpc::Status BreakerOpenStatus(absl::string_view target,
                               absl::string_view entry,
                               absl::Duration time_left, RandomSource& random) {
  const std::string text =
      time_left > absl::ZeroDuration()
          ? absl::StrFormat(
                "circuit breaker of %s on %s is open for another %s", entry,
                target,
                absl::FormatDuration(
                    absl::Ceil(time_left, absl::Milliseconds(1))))
          : absl::StrFormat(
                "circuit breaker of %s on %s is open until its probes are back",
                entry, target);
  const absl::Duration delay = time_left * absl::Uniform(random, 1.0, 1.2);
  const grpc::Status bare(grpc::StatusCode::UNAVAILABLE, text);
  return grpc::Status(grpc::StatusCode::UNAVAILABLE, text,
                      RetryInfoDetails(bare, delay));
}

}  // namespace retrykit
