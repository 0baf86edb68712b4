// Looks inside a toolkit, for tests alone.
//
// Thread-safety: any thread.
#ifndef TESTS_SUPPORT_TOOLKIT_PEER_H_
#define TESTS_SUPPORT_TOOLKIT_PEER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "interceptors/retrykit.h"

namespace retrykit {

class ToolkitPeer {
 public:
  // Timers that are armed and have not fired.
  static size_t LiveTimers(Toolkit& toolkit);

  // Bytes that its calls keep for replay.
  static int64_t KeptBytes(Toolkit& toolkit);

  // What the target's retry budget holds, in 1/1000 of a token; -1 without a
  // budget, or when no channel of the target is left.
  static int64_t MilliTokens(const Toolkit& toolkit, const std::string& target);
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_TOOLKIT_PEER_H_
