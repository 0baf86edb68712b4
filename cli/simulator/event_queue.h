// What is to happen, by time; what was added first comes first at the same
// time.
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_SIMULATOR_EVENT_QUEUE_H_
#define RETRYKIT_CLI_SIMULATOR_EVENT_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interceptors/core/instant.h"

namespace retrykit {
namespace cli {

struct SimulatedEvent {
  enum class Kind : unsigned char {
    kCallDue,          // `call`: the client's number.
    kAttemptArrives,   // At the server; `number`: the attempt.
    kAttemptServed,    // The server is done with it.
    kAnswerArrives,    // At the client; `code`.
    kAttemptDeadline,  // The attempt's own.
    kTimer,            // `number`: the engine's.
    kSample,
  };

  Instant at;
  uint64_t order = 0;  // Given by the queue.
  uint32_t call = 0;
  uint32_t generation = 0;  // Of the call's place.
  int number = 0;
  Kind kind = Kind::kSample;
  unsigned char code = 0;
};

class EventQueue {
 public:
  void Add(SimulatedEvent event) {
    event.order = ++last_order_;
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }

  bool empty() const { return heap_.empty(); }

  SimulatedEvent Take() {
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    const SimulatedEvent event = heap_.back();
    heap_.pop_back();
    return event;
  }

 private:
  static bool Later(const SimulatedEvent& a, const SimulatedEvent& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }

  std::vector<SimulatedEvent> heap_;
  uint64_t last_order_ = 0;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SIMULATOR_EVENT_QUEUE_H_
