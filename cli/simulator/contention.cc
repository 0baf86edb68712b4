#include "cli/simulator/contention.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "cli/json_output.h"
#include "cli/seeded_random.h"
#include "cli/simulator/event_queue.h"
#include "cli/text_table.h"

namespace retrykit {
namespace cli {
namespace {

using Kind = SimulatedEvent::Kind;

constexpr double kHopMean = 10;      // Milliseconds.
constexpr double kHopDeviation = 2;  // Milliseconds.

BackoffOptions Exponential(Jitter jitter) {
  BackoffOptions options;
  options.initial_backoff = absl::Milliseconds(10);
  options.max_backoff = absl::Seconds(2);
  options.multiplier = 2;
  options.jitter = jitter;
  return options;
}

BackoffOptions Decorrelated() {
  BackoffOptions options;
  options.initial_backoff = absl::Milliseconds(5);
  options.max_backoff = absl::Seconds(2);
  options.multiplier = 1.5;
  return options;
}

// One run: `call` of an event is the client, `generation` the version that it
// has read or writes with.
class Contention {
 public:
  Contention(int clients, const absl::optional<BackoffOptions>& backoff,
             uint64_t seed)
      : options_(backoff),
        waits_(static_cast<std::size_t>(clients)),
        random_(seed) {}

  void Run(int64_t& calls, absl::Duration& took) {
    for (uint32_t i = 0; i < waits_.size(); ++i) Send(Kind::kCallDue, i, 0);
    while (!events_.empty()) {
      const SimulatedEvent event = events_.Take();
      now_ = event.at;
      Handle(event);
    }
    calls = writes_;
    took = now_ - Instant();
  }

 private:
  void Handle(const SimulatedEvent& event) {
    switch (event.kind) {
      case Kind::kCallDue:  // A read is at the row.
        return Send(Kind::kTimer, event.call, version_);
      case Kind::kTimer:  // The version is at the client, which writes.
        return Send(Kind::kAttemptArrives, event.call, event.generation);
      case Kind::kAttemptArrives: {  // A write is at the row.
        ++writes_;
        const bool good = event.generation == version_;
        if (good) ++version_;
        return Send(Kind::kAnswerArrives, event.call, good ? 1 : 0);
      }
      case Kind::kAnswerArrives:
        if (event.generation == 0) Again(event.call);
        return;
      default:
        return;
    }
  }

  void Again(uint32_t client) {
    absl::Duration wait;
    if (options_) wait = waits_[client].Next(*options_, random_);
    Send(Kind::kCallDue, client, 0, wait);
  }

  void Send(Kind kind, uint32_t client, uint32_t version,
            absl::Duration wait = absl::ZeroDuration()) {
    const double hop = std::fabs(kHopMean + kHopDeviation * random_.Normal());
    SimulatedEvent event;
    event.at = now_ + wait + absl::Milliseconds(hop);
    event.call = client;
    event.generation = version;
    event.kind = kind;
    events_.Add(event);
  }

  const absl::optional<BackoffOptions> options_;
  std::vector<Backoff> waits_;
  SeededRandom random_;
  EventQueue events_;
  Instant now_;
  uint32_t version_ = 0;
  int64_t writes_ = 0;
};

std::vector<ContentionRow> Rows() {
  return {{"no backoff at all", absl::nullopt, 0, 0},
          {"NONE", Exponential(Jitter::kNone), 0, 0},
          {"DECORRELATED", Decorrelated(), 0, 0},
          {"EQUAL", Exponential(Jitter::kEqual), 0, 0},
          {"FULL", Exponential(Jitter::kFull), 0, 0}};
}

}  // namespace

std::vector<ContentionRow> RunContention(const ContentionOptions& options,
                                         const Progress& progress) {
  std::vector<ContentionRow> rows = Rows();
  const double all = static_cast<double>(rows.size()) * options.runs;
  double done = 0;
  for (ContentionRow& row : rows) {
    for (int run = 0; run < options.runs; ++run) {
      int64_t calls = 0;
      absl::Duration took;
      Contention(options.clients, row.backoff,
                 options.seed * 1'000'003 + static_cast<uint64_t>(run))
          .Run(calls, took);
      row.calls += static_cast<double>(calls);
      row.milliseconds += absl::ToDoubleMilliseconds(took);
      if (progress != nullptr) progress(++done / all);
    }
    row.calls /= options.runs;
    row.milliseconds /= options.runs;
  }
  return rows;
}

std::string ContentionTable(const ContentionOptions& options,
                            const std::vector<ContentionRow>& rows) {
  const ContentionRow& full = rows.back();
  std::vector<std::vector<std::string>> cells = {
      {"jitter", "calls", "time", "calls/FULL", "time/FULL"}};
  for (const ContentionRow& row : rows) {
    cells.push_back(
        {row.name, absl::StrFormat("%.1f", row.calls),
         absl::StrFormat("%.0f ms", row.milliseconds),
         absl::StrFormat("%.2f", row.calls / full.calls),
         absl::StrFormat("%.2f", row.milliseconds / full.milliseconds)});
  }
  return absl::StrFormat(
             "%d clients, one row, optimistic concurrency; mean of %d runs\n",
             options.clients, options.runs) +
         TextTable(cells);
}

std::string ContentionJson(const ContentionOptions& options,
                           const std::vector<ContentionRow>& rows) {
  OrderedJson all = OrderedJson::array();
  for (const ContentionRow& row : rows) {
    all.push_back({{"jitter", row.name},
                   {"calls", row.calls},
                   {"milliseconds", row.milliseconds}});
  }
  return JsonText(
      {{"clients", options.clients}, {"runs", options.runs}, {"rows", all}});
}

}  // namespace cli
}  // namespace retrykit
