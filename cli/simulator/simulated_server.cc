#include "cli/simulator/simulated_server.h"

namespace retrykit {
namespace cli {

const Phase* SimulatedServer::Befalling(bool slow, absl::Duration at) {
  for (const Phase& phase : scenario_.phases) {
    if ((phase.kind == Phase::Kind::kSlow) != slow) continue;
    if (at < phase.from || at >= phase.to) continue;
    if (phase.share >= 1 || random_.Unit() < phase.share) return &phase;
  }
  return nullptr;
}

absl::Duration SimulatedServer::Work(absl::Duration at) {
  absl::Duration work = scenario_.service_time;
  if (scenario_.exponential_service) work *= random_.Exponential();
  if (const Phase* const slow = Befalling(true, at)) work *= slow->factor;
  return work;
}

SimulatedServer::Reception SimulatedServer::Receive(const AttemptId& id,
                                                    absl::Duration at) {
  Reception reception;
  if (const Phase* const phase = Befalling(false, at)) {
    reception.fate =
        phase->kind == Phase::Kind::kHang ? Fate::kLost : Fate::kRefused;
    reception.code = phase->code;
  } else if (busy_ < scenario_.capacity) {
    ++busy_;
    reception.fate = Fate::kWorked;
    reception.work = Work(at);
  } else if (static_cast<int64_t>(queue_.size()) < scenario_.queue) {
    queue_.push_back(id);
    reception.fate = Fate::kQueued;
  } else {
    reception.fate = Fate::kRefused;
    reception.code = scenario_.overload_code;
  }
  return reception;
}

absl::optional<AttemptId> SimulatedServer::TakeNext() {
  if (queue_.empty()) return absl::nullopt;
  const AttemptId next = queue_.front();
  queue_.pop_front();
  return next;
}

}  // namespace cli
}  // namespace retrykit
