#include "interceptors/telemetry/log_observer.h"

#include <cstdint>
#include <cstdio>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace retrykit {
namespace {

using Type = CallEvent::Type;

class Line {
 public:
  explicit Line(Type type)
      : text_(absl::StrCat("retrykit event=", CallEventTypeText(type))) {}

  Line& Add(absl::string_view key, absl::string_view value) {
    absl::StrAppend(&text_, " ", key, "=");
    const bool plain =
        !value.empty() &&
        value.find_first_of(" \"\\=\t\r\n") == absl::string_view::npos &&
        absl::CEscape(value) == value;
    if (plain) {
      absl::StrAppend(&text_, value);
    } else {
      absl::StrAppend(&text_, "\"", absl::CEscape(value), "\"");
    }
    return *this;
  }
  Line& AddIfAny(absl::string_view key, absl::string_view value) {
    return value.empty() ? *this : Add(key, value);
  }
  Line& Add(absl::string_view key, int number) {
    return Add(key, absl::StrCat(number));
  }
  Line& Add(absl::string_view key, absl::Duration duration) {
    return Add(key, absl::FormatDuration(
                        absl::Trunc(duration, absl::Microseconds(1))));
  }

  Line& Add(absl::string_view key, int64_t numerator, int denominator) {
    return Add(key, absl::StrCat(static_cast<double>(numerator) / denominator));
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

bool SaysNothing(const CallEvent& event) {
  switch (event.type) {
    case Type::kCallStarted:
    case Type::kCallCommitted:
      return true;
    case Type::kAttemptStarted:
      return event.attempt_kind == AttemptKind::kFirst;
    case Type::kAttemptEnded:
      return event.code == absl::StatusCode::kOk;
    case Type::kCallEnded:
      return event.code == absl::StatusCode::kOk && event.attempt <= 1;
    default:
      return false;
  }
}

void AddAttempt(const CallEvent& event, Line& line) {
  line.Add("attempt", event.attempt)
      .Add("kind", AttemptKindText(event.attempt_kind));
}

void AddDelay(const CallEvent& event, Line& line) {
  line.Add("delay", event.delay)
      .Add("source", DelaySourceText(event.delay_source));
}

void AddStatus(const CallEvent& event, Line& line) {
  line.Add("code", absl::StatusCodeToString(event.code))
      .AddIfAny("message", event.message);
}

// What the type has beside the call it belongs to.
void AddDetails(const CallEvent& event, Line& line) {
  switch (event.type) {
    case Type::kAttemptStarted:
    case Type::kRetryScheduled:
      AddAttempt(event, line);
      return AddDelay(event, line);
    case Type::kAttemptEnded:
      AddAttempt(event, line);
      AddStatus(event, line);
      if (event.reason != Reason::kNone) {
        line.Add("reason", ReasonText(event.reason));
      }
      line.AddIfAny("peer", event.peer).Add("duration", event.duration);
      return;
    case Type::kRetrySuppressed:
      line.Add("attempt", event.attempt)
          .Add("reason", ReasonText(event.reason));
      return;
    case Type::kNotHedgeable:
      line.AddIfAny("entry", event.entry)
          .Add("reason", ReasonText(event.reason));
      return;
    case Type::kHedgeWouldStart:
      line.Add("since_start", event.since_start);
      return;
    case Type::kBudgetWouldRefuse:
      line.Add("tokens", event.budget_milli_tokens, 1000)
          .Add("max_tokens", event.budget_max_milli_tokens, 1000);
      return;
    case Type::kBreakerWouldRefuse:
      line.AddIfAny("entry", event.entry);
      return;
    case Type::kBreakerRejected:
      line.AddIfAny("entry", event.entry).Add("time_left", event.delay);
      return;
    case Type::kBreakerChanged:
      line.AddIfAny("entry", event.entry)
          .Add("from", CircuitStateText(event.from))
          .Add("to", CircuitStateText(event.to));
      return;
    case Type::kConfigReloaded:
      return AddStatus(event, line);
    case Type::kCallEnded:
      line.Add("attempts", event.attempt)
          .Add("reason", ReasonText(event.reason));
      AddStatus(event, line);
      line.Add("duration", event.duration);
      return;
    default:
      return;
  }
}

class LogObserver final : public Observer {
 public:
  explicit LogObserver(std::function<void(absl::string_view)> sink)
      : sink_(std::move(sink)) {}

  void OnEvent(const CallEvent& event) override {
    const std::string line = LogLine(event);
    if (!line.empty()) sink_(line);
  }

 private:
  const std::function<void(absl::string_view)> sink_;
};

void ToStandardError(absl::string_view line) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace

std::string LogLine(const CallEvent& event) {
  if (SaysNothing(event)) return std::string();
  Line line(event.type);
  if (event.call != 0) line.Add("call", absl::StrCat(event.call));
  line.AddIfAny("target", event.target).AddIfAny("method", event.method);
  AddDetails(event, line);
  return line.Take();
}

std::shared_ptr<Observer> MakeLogObserver(
    std::function<void(absl::string_view)> sink) {
  if (sink == nullptr) sink = ToStandardError;
  return std::make_shared<LogObserver>(std::move(sink));
}

}  // namespace retrykit
