#include "interceptors/telemetry/prometheus_metrics.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"

namespace retrykit {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using State = CircuitBreaker::State;

// A server may send any number; what is no code of gRPC's counts as UNKNOWN.
absl::StatusCode Known(absl::StatusCode code) {
  const int number = static_cast<int>(code);
  return number >= 0 && number <= 16 ? code : absl::StatusCode::kUnknown;
}

template <typename Enum>
size_t Index(Enum value) {
  return static_cast<size_t>(value);
}

prometheus::Labels With(prometheus::Labels labels, const char* key,
                        absl::string_view value) {
  labels.emplace(key, std::string(value));
  return labels;
}

enum class HedgeOutcome { kWon, kLost, kFailed };

HedgeOutcome OutcomeOf(const CallEvent& event) {
  if (event.reason != Reason::kNone) return HedgeOutcome::kLost;
  return event.code == absl::StatusCode::kOk ? HedgeOutcome::kWon
                                             : HedgeOutcome::kFailed;
}

const char* Text(HedgeOutcome outcome) {
  switch (outcome) {
    case HedgeOutcome::kWon:
      return "won";
    case HedgeOutcome::kLost:
      return "lost";
    case HedgeOutcome::kFailed:
      return "failed";
  }
  return "failed";
}

// Seldom changes (a full bucket stays full), and then it costs a read.
void SetIfChanged(Gauge& gauge, int64_t milli) {
  const double value = static_cast<double>(milli) / 1000;
  if (gauge.Value() != value) gauge.Set(value);
}

prometheus::Labels BreakerLabels(absl::string_view target,
                                 absl::string_view entry,
                                 absl::string_view method) {
  prometheus::Labels labels = {{"target", std::string(target)},
                               {"entry", std::string(entry)}};
  return method.empty() ? labels : With(std::move(labels), "method", method);
}

}  // namespace

void TargetMetrics::NoteBudget(const CallEvent& event) {
  if (event.budget_max_milli_tokens == 0) return;
  SetIfChanged(tokens_.Get([this]() -> Gauge& {
    return families_.budget_tokens.Add({{"target", label_}});
  }),
               event.budget_milli_tokens);
  SetIfChanged(max_tokens_.Get([this]() -> Gauge& {
    return families_.budget_max_tokens.Add({{"target", label_}});
  }),
               event.budget_max_milli_tokens);
}

MethodMetrics::MethodMetrics(PrometheusFamilies& families,
                             TargetMetrics& target, absl::string_view label)
    : families_(families), target_(target), label_(label) {}

prometheus::Labels MethodMetrics::Labels() const {
  return {{"target", target_.label()}, {"method", label_}};
}

prometheus::Labels MethodMetrics::Labels(const char* key,
                                         absl::string_view value) const {
  return With(Labels(), key, value);
}

void MethodMetrics::AttemptEnded(const CallEvent& event) {
  const absl::StatusCode code = Known(event.code);
  const size_t index = Index(code) * kKinds + Index(event.attempt_kind);
  attempts_[index]
      .Get([&]() -> Counter& {
        return families_.attempts.Add(
            With(Labels("code", absl::StatusCodeToString(code)), "kind",
                 AttemptKindText(event.attempt_kind)));
      })
      .Increment();
  attempt_duration_
      .Get([this]() -> Histogram& {
        return families_.attempt_duration.Add(Labels(), SecondsBuckets());
      })
      .Observe(absl::ToDoubleSeconds(event.duration));
  if (event.attempt_kind != AttemptKind::kHedge) return;
  const HedgeOutcome outcome = OutcomeOf(event);
  hedges_[Index(outcome)]
      .Get([&]() -> Counter& {
        return families_.hedges.Add(Labels("outcome", Text(outcome)));
      })
      .Increment();
}

void MethodMetrics::RetryScheduled(const CallEvent& event) {
  delays_[Index(event.delay_source)]
      .Get([&]() -> Histogram& {
        return families_.retry_delay.Add(
            Labels("source", DelaySourceText(event.delay_source)),
            SecondsBuckets());
      })
      .Observe(absl::ToDoubleSeconds(event.delay));
}

void MethodMetrics::RetrySuppressed(const CallEvent& event) {
  suppressed_[Index(event.reason)]
      .Get([&]() -> Counter& {
        return families_.suppressed.Add(
            Labels("reason", ReasonText(event.reason)));
      })
      .Increment();
}

void MethodMetrics::CallEnded(const CallEvent& event) {
  const absl::StatusCode code = Known(event.code);
  calls_[Index(code)]
      .Get([&]() -> Counter& {
        return families_.calls.Add(
            Labels("code", absl::StatusCodeToString(code)));
      })
      .Increment();
  call_duration_
      .Get([this]() -> Histogram& {
        return families_.call_duration.Add(Labels(), SecondsBuckets());
      })
      .Observe(absl::ToDoubleSeconds(event.duration));
  if (code != absl::StatusCode::kOk || event.attempt <= 1) return;
  retry_successes_
      .Get([this]() -> Counter& {
        return families_.retry_successes.Add(Labels());
      })
      .Increment();
}

BreakerMetrics::BreakerMetrics(PrometheusFamilies& families,
                               absl::string_view target,
                               absl::string_view entry,
                               absl::string_view method)
    : families_(families),
      labels_(BreakerLabels(target, entry, method)),
      rejections_(families.rejections.Add(labels_)),
      states_{&StateGauge(0), &StateGauge(1), &StateGauge(2)} {
  states_[Index(State::kClosed)]->Set(1);
}

Gauge& BreakerMetrics::StateGauge(size_t state) {
  return families_.circuit_state.Add(
      With(labels_, "state", CircuitStateText(static_cast<State>(state))));
}

void BreakerMetrics::Changed(State from, State to) {
  families_.transitions
      .Add(With(With(labels_, "from", CircuitStateText(from)), "to",
                CircuitStateText(to)))
      .Increment();
  MutexLock lock(mu_);
  for (size_t state = 0; state < kStates; ++state) {
    states_[state]->Set(state == Index(to) ? 1 : 0);
  }
}

}  // namespace retrykit
