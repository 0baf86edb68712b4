#include "examples/quickstart/summary.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace quickstart {
namespace {

using retrykit::AttemptReport;
using retrykit::CallReport;
using retrykit::DelaySource;
using retrykit::Reason;

std::string CodeText(const grpc::Status& status) {
  return absl::StatusCodeToString(
      static_cast<absl::StatusCode>(status.error_code()));
}

int64_t Millis(absl::Duration duration) {
  return absl::ToInt64Milliseconds(duration);
}

bool AnyWaitedFor(const CallReport& report, DelaySource source) {
  return std::any_of(report.attempts.begin(), report.attempts.end(),
                     [source](const AttemptReport& attempt) {
                       return attempt.delay_source == source;
                     });
}

bool AnyEndedWith(const CallReport& report, grpc::StatusCode code) {
  return std::any_of(report.attempts.begin(), report.attempts.end(),
                     [code](const AttemptReport& attempt) {
                       return attempt.status.error_code() == code;
                     });
}

// What is worth showing once.
struct Kind {
  const char* title;
  bool (*fits)(const CallReport& report);
};

const Kind kKinds[] = {
    {"succeeds at once",
     [](const CallReport& report) {
       return report.status.ok() && report.attempts.size() == 1;
     }},
    {"refused, tried again after a backoff",
     [](const CallReport& report) {
       return report.status.ok() && report.attempts.size() == 2 &&
              AnyEndedWith(report, grpc::StatusCode::RESOURCE_EXHAUSTED) &&
              AnyWaitedFor(report, DelaySource::kBackoff);
     }},
    {"refused by a server that names the delay",
     [](const CallReport& report) {
       return report.status.ok() && report.attempts.size() == 2 &&
              AnyWaitedFor(report, DelaySource::kPushback);
     }},
    {"not answered in time at first",
     [](const CallReport& report) {
       return report.status.ok() && report.attempts.size() == 2 &&
              AnyEndedWith(report, grpc::StatusCode::DEADLINE_EXCEEDED);
     }},
    {"while the server is down",
     [](const CallReport& report) {
       return report.attempts.size() >= 2 &&
              AnyEndedWith(report, grpc::StatusCode::UNAVAILABLE);
     }},
    {"not even sent: the breaker is open",
     [](const CallReport& report) {
       return report.reason == Reason::kBreaker && report.attempts.empty();
     }},
};

std::string Line(const AttemptReport& attempt) {
  std::string line = absl::StrFormat("    attempt %d at %4d ms", attempt.number,
                                     Millis(attempt.start));
  if (attempt.delay_source != DelaySource::kNone) {
    absl::StrAppendFormat(&line, ", after %d ms of %s", Millis(attempt.delay),
                          DelaySourceText(attempt.delay_source));
  }
  absl::StrAppendFormat(&line, ": %s in %d ms\n", CodeText(attempt.status),
                        Millis(attempt.duration));
  return line;
}

std::string Timeline(const char* title, const Call& call,
                     const CallReport& report) {
  std::string text = absl::StrCat("  ", call.request.id(), ", ", title, "\n");
  for (const AttemptReport& attempt : report.attempts) text += Line(attempt);
  absl::StrAppendFormat(&text, "    = %s after %d ms\n", CodeText(call.status),
                        Millis(call.duration));
  if (!call.status.ok())
    absl::StrAppend(&text, "      ", call.status.error_message(), "\n");
  return text;
}

int Count(const Calls& calls, grpc::StatusCode code) {
  const auto& all = calls.all();
  return static_cast<int>(std::count_if(
      all.begin(), all.end(),
      [code](const auto& call) { return call->status.error_code() == code; }));
}

absl::Duration Slowest(const Calls& calls) {
  absl::Duration slowest;
  for (const auto& call : calls.all())
    slowest = std::max(slowest, call->duration);
  return slowest;
}

}  // namespace

std::string FewCalls(const Calls& calls) {
  std::string text;
  for (const Kind& kind : kKinds) {
    for (const auto& call : calls.all()) {
      const CallReport report = call->scope.report();
      if (!kind.fits(report)) continue;
      text += Timeline(kind.title, *call, report);
      break;
    }
  }
  return text;
}

std::string Table(const Calls& retrykit, const Calls& plain) {
  std::string text =
      absl::StrFormat("  %-20s%12s%16s\n", "", "retrykit", "plain channel");
  const auto row = [&](const std::string& name, int ours, int theirs,
                       const char* unit) {
    absl::StrAppendFormat(&text, "  %-20s%12d%16d%s\n", name, ours, theirs,
                          unit);
  };
  row("calls", static_cast<int>(retrykit.all().size()),
      static_cast<int>(plain.all().size()), "");
  for (const auto code :
       {grpc::StatusCode::OK, grpc::StatusCode::RESOURCE_EXHAUSTED,
        grpc::StatusCode::DEADLINE_EXCEEDED, grpc::StatusCode::UNAVAILABLE}) {
    row(CodeText(grpc::Status(code, "")), Count(retrykit, code),
        Count(plain, code), "");
  }
  row("slowest", static_cast<int>(Millis(Slowest(retrykit))),
      static_cast<int>(Millis(Slowest(plain))), " ms");
  return text;
}

int CountOk(const Calls& calls) { return Count(calls, grpc::StatusCode::OK); }

}  // namespace quickstart
