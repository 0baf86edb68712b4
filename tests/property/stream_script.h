// Any bytes at all as the story of one stream: what its application asks for
// and what the wire answers, in any order that gRPC allows.
//
//   EXPECT_EQ(PlayStreamScript(bytes), "");
//
// The first bytes choose limits and kind; each of those that follow is
// something that happens. At the end the call is cancelled and the wire lets
// everything go. Played along is what must hold: every attempt is sent each
// message once, in order, from the first; the application gets the messages of
// one attempt, in order; whatever it asked for is completed once; no attempt
// starts after something was handed out or forgotten; what is kept costs no
// more than the limits, and is given back.
//
// Thread-safety: pure.
#ifndef RETRYKIT_TESTS_PROPERTY_STREAM_SCRIPT_H_
#define RETRYKIT_TESTS_PROPERTY_STREAM_SCRIPT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace retrykit {

// What a script reached, to see that the promises are about something.
struct StreamCoverage {
  int retries = 0;
  int replayed = 0;  // Messages sent again.
  int delivered = 0;
  int forgotten_over_limit = 0;
  int finished_well = 0;
  int hedges = 0;
};

// The first promise that was broken; "" if none.
std::string PlayStreamScript(absl::string_view bytes,
                             StreamCoverage* coverage = nullptr);

// The same bytes for the same seed, on every machine.
std::string RandomStreamScript(uint64_t seed);

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_PROPERTY_STREAM_SCRIPT_H_
