#include "interceptors/engine/stream_engine.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace retrykit {

StreamEngine::StreamEngine(const CallSetup& setup, const StreamOptions& options)
    : options_(options),
      deadline_(setup.deadline),
      call_(setup),
      log_(options.call_buffer_limit, *options.quota),
      keeping_(setup.rules->max_attempts > 1 || setup.hedging != nullptr) {}

StreamActions StreamEngine::Step(const StreamEvent& event, Instant now) {
  StreamActions actions;
  std::visit([&](const auto& happened) { On(happened, now, actions); }, event);
  Settle(now, actions);
  return actions;
}

void StreamEngine::On(const CallStarted& event, Instant now,
                      StreamActions& actions) {
  Drive(event, now, actions);
}

void StreamEngine::On(const WriteAsked& event, Instant now,
                      StreamActions& actions) {
  write_asked_ = true;
  half_closed_ |= event.last;
  if (finished_) return ForgetAfter(event, actions);
  if (!keeping_) return log_.Pass(event.bytes);
  if (log_.Keep(event.bytes)) return;
  Drive(BufferExceeded{}, now, actions);
  StopKeeping(actions);
}

// Nothing is sent any more: the message goes at once.
void StreamEngine::ForgetAfter(const WriteAsked& event,
                               StreamActions& actions) {
  log_.Pass(event.bytes);
  log_.ForgetBelow(log_.asked());
  actions.list.push_back(ForgetMessages{log_.asked()});
}

void StreamEngine::On(const HalfCloseAsked&, Instant, StreamActions&) {
  half_closed_ = true;
}

void StreamEngine::On(const ReadAsked&, Instant, StreamActions&) {
  read_asked_ = true;
}

void StreamEngine::On(const HeadersAsked&, Instant, StreamActions&) {
  headers_asked_ = true;
}

void StreamEngine::On(const ResultAsked&, Instant, StreamActions&) {
  result_asked_ = true;
}

void StreamEngine::On(const AttemptWrote& event, Instant,
                      StreamActions& actions) {
  Traffic* traffic = Find(event.attempt);
  if (traffic == nullptr) return;
  traffic->writing = false;
  if (!event.ok) {
    traffic->broken = true;
  } else if (!std::exchange(traffic->bare, false)) {
    ++traffic->written;
  }
  if (!keeping_) Forget(actions);
}

void StreamEngine::On(const HeadersArrived& event, Instant, StreamActions&) {
  if (Traffic* traffic = Find(event.attempt)) traffic->got_headers = true;
}

void StreamEngine::On(const AttemptRead& event, Instant now,
                      StreamActions& actions) {
  Traffic* traffic = Find(event.attempt);
  if (traffic == nullptr) return;
  traffic->reading = false;
  traffic->unread.push_back(event.bytes);
  traffic->unread_bytes += event.bytes;
  if (std::exchange(traffic->got_message, true)) return;
  Drive(MessageArrived{event.attempt}, now, actions);
  // It is for the application, which may ask for it a moment later than the
  // server fails: whether a message is lost must not depend on that.
  if (options_.response_with_status) return;
  Drive(MessageReceived{event.attempt}, now, actions);
}

void StreamEngine::On(const ReadsEnded& event, Instant, StreamActions&) {
  Traffic* traffic = Find(event.attempt);
  if (traffic == nullptr) return;
  traffic->reading = false;
  traffic->reads_ended = true;
}

void StreamEngine::On(const StatusArrived& event, Instant, StreamActions&) {
  if (Traffic* traffic = Find(event.attempt)) traffic->status = event.outcome;
}

void StreamEngine::On(const TimerFired& event, Instant now,
                      StreamActions& actions) {
  if (event.timer != kResultTimer) return Drive(event, now, actions);
  result_timer_armed_ = false;
  DropUnread(absl::StatusCode::kDeadlineExceeded);
}

// What was read and not delivered dies with a call that had ended well, too.
void StreamEngine::On(const CallCancelled& event, Instant now,
                      StreamActions& actions) {
  Drive(event, now, actions);
  DropUnread(absl::StatusCode::kCancelled);
}

void StreamEngine::DropUnread(absl::StatusCode why) {
  // Without what was dropped the call must not look complete.
  if (!options_.response_with_status && AnyUnread()) instead_ = why;
  for (Traffic& traffic : traffic_) {
    traffic.unread.clear();
    traffic.unread_bytes = 0;
  }
}

void StreamEngine::Drive(const StepEvent& event, Instant now,
                         StreamActions& actions) {
  retrykit::Actions todo = call_.Step(event, now);
  for (CallEvent& told : todo.events) actions.events.push_back(told);
  for (const Action& action : todo.list) {
    std::visit([&](const auto& one) { Take(one, actions); }, action);
  }
}

void StreamEngine::Take(const StartAttempt& action, StreamActions& actions) {
  Traffic traffic;
  traffic.attempt = action.attempt;
  const bool message_follows = log_.asked() > 0;
  traffic.writing = traffic.bare = !message_follows;
  if (action.attempt > 1) traffic.replay_end = log_.asked();
  traffic_.push_back(std::move(traffic));
  actions.list.push_back(StartStream{action, message_follows});
}

void StreamEngine::Take(const CancelAttempt& action, StreamActions& actions) {
  Drop(action.attempt);
  actions.list.push_back(action);
}

// Attempts that it was chosen over were cancelled before it.
void StreamEngine::Take(const CommitAttempt&, StreamActions& actions) {
  committed_ = true;
  StopKeeping(actions);
}

void StreamEngine::Take(const FinishCall& action, StreamActions& actions) {
  finished_ = true;
  keeping_ = false;
  result_ = action.attempt;
  actions.list.push_back(action);
  // As on a plain channel, which drops what came and was not asked for.
  if (action.reason == Reason::kDeadlineExceeded) {
    DropUnread(absl::StatusCode::kOk);  // It is the result already.
  }
  if (log_.ForgetBelow(log_.asked())) {
    actions.list.push_back(ForgetMessages{log_.asked()});
  }
}

void StreamEngine::Take(const ArmTimer& action, StreamActions& actions) {
  actions.list.push_back(action);
}

void StreamEngine::Take(const DisarmTimer& action, StreamActions& actions) {
  actions.list.push_back(action);
}

// 1. The wire gets what it can take. 2. Attempts that have said everything
// end, which may start others. 3. The application gets what is there for it,
// which may commit and so let reads run ahead.
void StreamEngine::Settle(Instant now, StreamActions& actions) {
  do {
    if (finished_) break;
    for (Traffic& traffic : traffic_) {
      Send(traffic, actions);
      Read(traffic, actions);
    }
  } while (EndOne(now, actions));
  SettleWrite(actions);
  SettleHeaders(now, actions);
  SettleRead(actions);
  SettleResult(actions);
  if (finished_) return;
  for (Traffic& traffic : traffic_) Read(traffic, actions);
}

void StreamEngine::Send(Traffic& traffic, StreamActions& actions) {
  if (traffic.writing || traffic.broken || traffic.status) return;
  if (traffic.written < log_.asked()) {
    const bool last = half_closed_ && traffic.written + 1 == log_.asked();
    traffic.writing = true;
    traffic.closed |= last;
    actions.list.push_back(SendMessage{traffic.attempt, traffic.written, last});
  } else if (half_closed_ && !traffic.closed) {
    traffic.writing = traffic.bare = traffic.closed = true;
    actions.list.push_back(SendHalfClose{traffic.attempt});
  }
}

void StreamEngine::Read(Traffic& traffic, StreamActions& actions) {
  if (traffic.reading || traffic.reads_ended) return;
  const bool room =
      committed_ && traffic.unread_bytes < kRunAheadBytes &&
      static_cast<int64_t>(traffic.unread.size()) < kRunAheadMessages;
  if (!traffic.unread.empty() && !room) return;
  traffic.reading = true;
  actions.list.push_back(StartRead{traffic.attempt});
}

bool StreamEngine::EndOne(Instant now, StreamActions& actions) {
  for (Traffic& traffic : traffic_) {
    if (!HasSaidEverything(traffic, actions)) continue;
    const int attempt = traffic.attempt;
    Drive(AttemptEnded{attempt, *traffic.status}, now, actions);
    if (!finished_ || result_ != attempt) Drop(attempt);
    return !finished_;
  }
  return false;
}

// An attempt has ended when its status is there, no read is under way that
// could bring a message before it, and it is known whether the wire took the
// last message. A send that the wire has not taken yet must be told to give up:
// a server that has answered may never take it.
bool StreamEngine::HasSaidEverything(Traffic& traffic, StreamActions& actions) {
  if (!traffic.status) return false;
  if (traffic.writing && !std::exchange(traffic.let_go, true)) {
    actions.list.push_back(CancelAttempt{traffic.attempt});
  }
  return !traffic.reading && !traffic.writing;
}

void StreamEngine::StopKeeping(StreamActions& actions) {
  keeping_ = false;
  Forget(actions);
}

// What no live attempt has to send any more. During backoff everything stays:
// the next attempt begins at the first message.
void StreamEngine::Forget(StreamActions& actions) {
  if (traffic_.empty()) return;
  int64_t below = log_.asked();
  for (const Traffic& traffic : traffic_) {
    below = std::min(below, traffic.written);
  }
  if (log_.ForgetBelow(below)) actions.list.push_back(ForgetMessages{below});
}

StreamEngine::Traffic* StreamEngine::Find(int attempt) {
  for (Traffic& traffic : traffic_) {
    if (traffic.attempt == attempt) return &traffic;
  }
  return nullptr;
}

void StreamEngine::Drop(int attempt) {
  traffic_.erase(std::remove_if(traffic_.begin(), traffic_.end(),
                                [&](const Traffic& traffic) {
                                  return traffic.attempt == attempt;
                                }),
                 traffic_.end());
}

bool StreamEngine::AnyUnread() const {
  return std::any_of(traffic_.begin(), traffic_.end(),
                     [](const Traffic& one) { return !one.unread.empty(); });
}

}  // namespace retrykit
