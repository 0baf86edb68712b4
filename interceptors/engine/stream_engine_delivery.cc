// The part of the stream engine that completes what the application waits for.
#include <algorithm>
#include <utility>

#include "interceptors/engine/stream_engine.h"

namespace retrykit {

void StreamEngine::SettleWrite(StreamActions& actions) {
  if (!write_asked_) return;
  const bool taken = std::any_of(
      traffic_.begin(), traffic_.end(),
      [&](const Traffic& one) { return one.written >= log_.asked(); });
  if (!taken && !finished_ && !BufferTakesWrite() && !RunsAhead()) return;
  write_asked_ = false;
  actions.list.push_back(CompleteWrite{taken || !finished_});
}

// During backoff, and while every live attempt is replaying older messages.
bool StreamEngine::BufferTakesWrite() const {
  return keeping_ &&
         std::all_of(traffic_.begin(), traffic_.end(), [&](const Traffic& one) {
           return one.written < one.replay_end &&
                  one.written + 1 < log_.asked();
         });
}

// Of an attempt that flows.
bool StreamEngine::RunsAhead() const {
  return std::any_of(traffic_.begin(), traffic_.end(), [&](const Traffic& one) {
    if (one.written == 0 || one.broken || one.status) return false;
    const int64_t left = log_.asked() - one.written;
    return left == 1 || (left <= kRunAheadMessages &&
                         log_.BytesFrom(one.written) <= kRunAheadBytes);
  });
}

void StreamEngine::SettleHeaders(Instant now, StreamActions& actions) {
  if (!headers_asked_) return;
  int attempt = 0;
  for (const Traffic& traffic : traffic_) {
    if (traffic.got_headers) attempt = traffic.attempt;
  }
  if (attempt == 0 && !finished_) return;
  headers_asked_ = false;
  if (!finished_) Drive(HeadersReceived{attempt}, now, actions);
  actions.list.push_back(DeliverHeaders{attempt});
}

void StreamEngine::SettleRead(StreamActions& actions) {
  if (!read_asked_) return;
  const auto found =
      std::find_if(traffic_.begin(), traffic_.end(),
                   [](const Traffic& one) { return !one.unread.empty(); });
  if (found == traffic_.end()) {
    if (!finished_) return;
    read_asked_ = false;
    actions.list.push_back(FailRead{});
    return;
  }
  read_asked_ = false;
  found->unread_bytes -= found->unread.front();
  found->unread.pop_front();
  actions.list.push_back(DeliverMessage{found->attempt});
}

void StreamEngine::SettleResult(StreamActions& actions) {
  if (!result_asked_ || !finished_) return;
  const bool waits = options_.status_after_reads &&
                     !options_.response_with_status && AnyUnread();
  if (waits) return WatchDeadline(actions);
  result_asked_ = false;
  if (std::exchange(result_timer_armed_, false)) {
    actions.list.push_back(DisarmTimer{kResultTimer});
  }
  actions.list.push_back(DeliverResult{instead_});
}

void StreamEngine::WatchDeadline(StreamActions& actions) {
  if (deadline_.is_infinite() || std::exchange(result_timer_armed_, true)) {
    return;
  }
  actions.list.push_back(ArmTimer{kResultTimer, deadline_});
}

}  // namespace retrykit
