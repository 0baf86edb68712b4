#include "tests/property/stream_script.h"

#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/engine/buffer_quota.h"
#include "interceptors/engine/stream_engine.h"
#include "interceptors/engine/stream_step.h"
#include "interceptors/policy/hedge_load.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/shared_random.h"

namespace retrykit {
namespace {

RetryRules Rules() {
  RetryRules rules;
  rules.max_attempts = 4;
  rules.retryable = {absl::StatusCode::kAborted};
  rules.backoff.initial_backoff = absl::Milliseconds(20);
  rules.backoff.max_backoff = absl::Milliseconds(200);
  rules.backoff.multiplier = 2;
  return rules;
}

HedgeRules Hedging() {
  HedgeRules rules;
  rules.max_attempts = 3;
  rules.non_fatal = {absl::StatusCode::kAborted};
  rules.delay = absl::Milliseconds(5);
  return rules;
}

// The wire's side of one attempt.
struct WireAttempt {
  bool cancelled = false;
  bool ended = false;  // The status was told.
  bool sending = false;
  bool sends_message = false;
  bool opened = false;
  bool closed = false;
  bool reading = false;
  bool reads_ended = false;
  int64_t next = 0;    // The message that must be sent next.
  int64_t unread = 0;  // Read from the wire and not delivered.
};

class Player {
 public:
  Player(absl::string_view bytes, StreamCoverage& coverage)
      : bytes_(bytes),
        coverage_(coverage),
        quota_((1 + Byte() % 8) * 2000),
        engine_(Setup(), Limits()) {}

  std::string Play() {
    Step(CallStarted{});
    while (!bytes_.empty() && broken_.empty()) Happen(Byte());
    End();
    return broken_;
  }

 private:
  int Byte() {
    if (bytes_.empty()) return 0;
    const int byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  CallSetup Setup() {
    CallSetup setup;
    setup.rules = &rules_;
    setup.random = &random_;
    setup.deadline = clock_.Now() + absl::Seconds(10);
    if (Byte() % 2 == 0) {
      setup.per_attempt_timeout = absl::Milliseconds(100);
      setup.timer_per_attempt = true;
    }
    if (hedged_) {
      setup.hedging = &hedging_;
      setup.hedge_load = &hedge_load_;
    }
    return setup;
  }

  StreamOptions Limits() {
    StreamOptions options;
    options.call_buffer_limit = limit_ = (1 + Byte() % 8) * 1500;
    options.quota = &quota_;
    const int kind = Byte() % 4;
    options.response_with_status = client_ = kind == 0 && !hedged_;
    options.status_after_reads = kind == 1;
    return options;
  }

  void Break(const std::string& promise) {
    if (broken_.empty()) broken_ = promise;
  }
  void Must(bool holds, const char* promise) {
    if (!holds) Break(promise);
  }

  void Step(const StreamEvent& event) {
    const StreamActions actions = engine_.Step(event, clock_.Now());
    for (const StreamAction& action : actions.list) {
      std::visit([this](const auto& todo) { Do(todo); }, action);
    }
    CheckStep();
  }

  void CheckStep() {
    for (const auto& [number, attempt] : wire_) {
      Must(attempt.opened || attempt.cancelled,
           "an attempt whose headers wait gets its message in the same step");
    }
    Must(engine_.kept_bytes() <= limit_, "the call's limit is kept");
    Must(quota_.used() == engine_.kept_bytes(), "the quota knows what is kept");
  }

  // ---- What happens

  void Happen(int byte) {
    const int choice = byte / 16;
    switch (byte % 16) {
      case 0:
      case 1:
      case 2:
        return Write(choice);
      case 3:
        return choice % 4 == 0 ? HalfClose() : Write(choice);
      case 4:
      case 5:
        return AskForMessage();
      case 6:
        return choice % 4 == 0 ? AskForHeaders() : AskForResult();
      case 7:
      case 8:
      case 9:
        return WireSent(choice);
      case 10:
      case 11:
        return WireRead(choice);
      case 12:
        return WireHeaders();
      case 13:
        return WireEnds(choice);
      case 14:
        return Fire();
      default:
        return choice == 0 ? Cancel()
                           : clock_.Advance(absl::Milliseconds(choice));
    }
  }

  void Write(int choice) {
    if (write_asked_ || half_closed_) return;
    write_asked_ = true;
    ++asked_;
    half_closed_ = choice == 15;
    Step(WriteAsked{choice * 100, half_closed_});
  }
  void HalfClose() {
    if (write_asked_ || std::exchange(half_closed_, true)) return;
    Step(HalfCloseAsked{});
  }
  void AskForMessage() {
    if (client_ || std::exchange(read_asked_, true)) return;
    Step(ReadAsked{});
  }
  void AskForHeaders() {
    if (std::exchange(headers_ever_asked_, true)) return;
    headers_asked_ = true;
    Step(HeadersAsked{});
  }
  void AskForResult() {
    if (std::exchange(result_ever_asked_, true)) return;
    result_asked_ = true;
    Step(ResultAsked{});
  }
  void Cancel() { Step(CallCancelled{}); }
  void Fire() {
    if (timers_.empty()) return;
    const int timer = *timers_.begin();
    timers_.erase(timer);
    Step(TimerFired{timer});
  }

  // The latest attempt, or now and then an earlier one, which is over unless
  // the call is hedged.
  std::pair<const int, WireAttempt>* Pick(int choice) {
    if (wire_.empty()) return nullptr;
    if (hedged_ && choice % 2 == 0) {
      const auto place = static_cast<size_t>(choice / 2) % wire_.size();
      return &*std::next(wire_.begin(), static_cast<std::ptrdiff_t>(place));
    }
    if (choice == 1) return &*wire_.begin();
    return &*wire_.rbegin();
  }
  void WireSent(int choice) {
    auto* picked = Pick(choice);
    if (picked == nullptr || !picked->second.sending) return;
    WireAttempt& attempt = picked->second;
    attempt.sending = false;
    const bool ok = !attempt.cancelled && !attempt.ended && choice != 2;
    if (ok && attempt.sends_message) ++attempt.next;
    Step(AttemptWrote{picked->first, ok});
  }
  void WireRead(int choice) {
    auto* picked = Pick(choice);
    if (picked == nullptr || !picked->second.reading) return;
    WireAttempt& attempt = picked->second;
    attempt.reading = false;
    if (attempt.cancelled || attempt.ended || (client_ && attempt.unread > 0)) {
      attempt.reads_ended = true;
      return Step(ReadsEnded{picked->first});
    }
    ++attempt.unread;
    // Of a stream whose messages are read one by one the first one commits.
    if (!client_ && !finished_) arrived_ = true;
    Step(AttemptRead{picked->first, choice * 1000});
  }
  void WireHeaders() {
    if (auto* picked = Pick(0)) Step(HeadersArrived{picked->first});
  }
  void WireEnds(int choice) {
    auto* picked = Pick(choice);
    if (picked == nullptr || std::exchange(picked->second.ended, true)) return;
    StatusArrived status{picked->first, {}};
    status.outcome.code =
        choice < 10 ? absl::StatusCode::kAborted : absl::StatusCode::kOk;
    Step(status);
  }

  // Cancels what is still there; the wire lets everything go.
  void End() {
    AskForResult();
    Cancel();
    for (auto& [number, attempt] : wire_) {
      if (std::exchange(attempt.sending, false)) {
        Step(AttemptWrote{number, false});
      }
      if (std::exchange(attempt.reading, false)) Step(ReadsEnded{number});
      if (!attempt.ended) Step(StatusArrived{number, {}});
    }
    Must(finished_, "a cancelled call finishes");
    Must(!write_asked_, "a write is completed at the end");
    Must(!read_asked_, "a read is completed at the end");
    Must(!headers_asked_, "headers are delivered at the end");
    Must(!result_asked_, "the result is delivered at the end");
    Must(timers_.empty(), "no timer is left");
    Must(quota_.used() == 0, "what was kept is given back");
  }

  // ---- What the engine wants done

  void Do(const StartStream& action) {
    const int number = action.start.attempt;
    Must(!finished_ && !handed_out_ && !arrived_,
         "no attempt after commit or finish");
    Must(forgotten_ == 0, "no attempt without its first message");
    Must(number == static_cast<int>(wire_.size()) + 1, "numbers in order");
    for (const auto& [earlier, attempt] : wire_) {
      Must(attempt.ended || attempt.cancelled || hedged_, "one live attempt");
    }
    WireAttempt attempt;
    attempt.sending = attempt.opened = !action.message_follows;
    wire_[number] = attempt;
    if (number > 1) ++coverage_.retries;
    if (action.start.kind == AttemptKind::kHedge) ++coverage_.hedges;
  }
  void Do(const CancelAttempt& action) {
    wire_.at(action.attempt).cancelled = true;
  }
  void Do(const ArmTimer& action) { timers_.insert(action.timer); }
  void Do(const DisarmTimer& action) { timers_.erase(action.timer); }
  void Do(const FinishCall& action) {
    Must(!std::exchange(finished_, true), "finishes once");
    if (action.code == absl::StatusCode::kOk) ++coverage_.finished_well;
  }
  void Do(const SendMessage& action) {
    WireAttempt& attempt = Sending(action.attempt);
    Must(action.message == attempt.next, "messages in order, each once");
    Must(action.message < asked_, "only what the application wrote");
    Must(action.message >= forgotten_, "only what is still there");
    if (action.half_close) {
      Must(half_closed_ && action.message == asked_ - 1, "closes at the end");
      Must(!std::exchange(attempt.closed, true), "closes once");
    }
    attempt.sends_message = attempt.opened = true;
    if (action.attempt > 1) ++coverage_.replayed;
  }
  void Do(const SendHalfClose& action) {
    WireAttempt& attempt = Sending(action.attempt);
    Must(half_closed_ && attempt.next == asked_, "closes after all messages");
    Must(!std::exchange(attempt.closed, true), "closes once");
    attempt.sends_message = false;
  }
  WireAttempt& Sending(int number) {
    WireAttempt& attempt = wire_.at(number);
    Must(!attempt.cancelled, "nothing is sent on a cancelled attempt");
    Must(!std::exchange(attempt.sending, true), "one send at a time");
    return attempt;
  }
  void Do(const StartRead& action) {
    WireAttempt& attempt = wire_.at(action.attempt);
    Must(!attempt.reads_ended, "no read after the last");
    Must(!std::exchange(attempt.reading, true), "one read at a time");
    Must(attempt.unread == 0 || handed_out_ || arrived_,
         "no reading ahead before commit");
    Must(attempt.unread < kRunAheadMessages,
         "reads run ahead by so much and no more");
  }
  void Do(const ForgetMessages& action) {
    Must(action.below > forgotten_ && action.below <= asked_, "forgets once");
    forgotten_ = action.below;
    if (!handed_out_ && !finished_ && !arrived_)
      ++coverage_.forgotten_over_limit;
  }
  void Do(const CompleteWrite& action) {
    Must(std::exchange(write_asked_, false), "a write is completed once");
    Must(action.ok || finished_, "a write fails only with the call");
  }
  void Do(const DeliverMessage& action) {
    Must(std::exchange(read_asked_, false), "a read is completed once");
    WireAttempt& attempt = wire_.at(action.attempt);
    Must(attempt.unread-- > 0, "only what was read");
    HandOut(action.attempt);
    ++coverage_.delivered;
  }
  void Do(const FailRead&) {
    Must(std::exchange(read_asked_, false), "a read is completed once");
    Must(finished_, "reads fail only at the end");
  }
  void Do(const DeliverHeaders& action) {
    Must(std::exchange(headers_asked_, false), "headers are delivered once");
    if (action.attempt > 0) HandOut(action.attempt);
  }
  void Do(const DeliverResult&) {
    Must(finished_, "no result before the end");
    Must(std::exchange(result_asked_, false), "one result");
  }
  void HandOut(int attempt) {
    Must(handed_out_ == 0 || handed_out_ == attempt,
         "all that is handed out is of one attempt");
    handed_out_ = attempt;
  }

  absl::string_view bytes_;
  StreamCoverage& coverage_;
  const RetryRules rules_ = Rules();
  const HedgeRules hedging_ = Hedging();
  HedgeLoad hedge_load_;
  const bool hedged_ = Byte() % 3 == 0;
  FakeClock clock_;
  SharedRandom<> random_;
  BufferQuota quota_;
  int64_t limit_ = 0;
  bool client_ = false;
  StreamEngine engine_;

  int64_t asked_ = 0;  // Messages that the application wrote.
  int64_t forgotten_ = 0;
  bool half_closed_ = false;
  bool write_asked_ = false;
  bool read_asked_ = false;
  bool headers_asked_ = false;
  bool headers_ever_asked_ = false;
  bool result_asked_ = false;
  bool result_ever_asked_ = false;
  bool finished_ = false;
  bool arrived_ = false;  // A message that commits.
  int handed_out_ = 0;    // The attempt of which something was; 0: none.
  std::map<int, WireAttempt> wire_;
  std::set<int> timers_;
  std::string broken_;
};

}  // namespace

std::string PlayStreamScript(absl::string_view bytes,
                             StreamCoverage* coverage) {
  StreamCoverage unused;
  return Player(bytes, coverage != nullptr ? *coverage : unused).Play();
}

std::string RandomStreamScript(uint64_t seed) {
  SeededRandom random(seed);
  std::string bytes(100 + random() % 400, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() & 0xff);
  return bytes;
}

}  // namespace retrykit
