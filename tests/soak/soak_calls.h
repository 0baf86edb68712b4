// One call of the soak: drawn by chance, made, and judged.
//
// Thread-safety: functions without state.
#ifndef TESTS_SOAK_SOAK_CALLS_H_
#define TESTS_SOAK_SOAK_CALLS_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "tests/support/echo_call.h"
#include "tests/support/echo_stream.h"
#include "tests/support/seeded_random.h"

namespace retrykit {

struct SoakCall {
  std::string id;
  bool unary = true;
  CallStyle unary_style = CallStyle::kSync;
  StreamStyle stream_style;
  int messages = 0;         // Of a stream, in each direction that it has.
  size_t payload_size = 0;  // Of each request.
  absl::Duration deadline = absl::ZeroDuration();
  absl::optional<absl::Duration> cancel_after;
};

// Half are unary. One in twenty is cancelled.
SoakCall DrawSoakCall(SeededRandom& random, const std::string& id);

// "Sync", ..., "BidiReactor": how the call is made.
std::string SoakCallStyleName(const SoakCall& call);

struct SoakEnd {
  grpc::StatusCode code = grpc::StatusCode::OK;
  // After its deadline or its cancellation; never negative.
  absl::Duration lateness = absl::ZeroDuration();
  std::string mistake;  // What was wrong with it; empty: nothing.
};

// Returns when the call has ended. A call that does not aborts the program.
SoakEnd MakeSoakCall(const SoakCall& call,
                     const std::shared_ptr<grpc::Channel>& channel);

}  // namespace retrykit

#endif  // TESTS_SOAK_SOAK_CALLS_H_
