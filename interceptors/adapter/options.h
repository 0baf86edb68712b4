// The settings of a toolkit: everything that is not in the JSON.
//
// Thread-safety: a plain value, copied at Toolkit::Create.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_OPTIONS_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/adapter/codec.h"
#include "interceptors/core/clock.h"
#include "interceptors/engine/events.h"

namespace retrykit {

struct Options {
  // Told of every event, in this order. Default: none.
  std::vector<std::shared_ptr<Observer>> observers;

  // The most attempts of one call, whatever the config says (gRFC A6 clamps to
  // 5). At least 1. Default: 5.
  int max_attempts_limit = 5;

  // The most that one call may keep of its sent messages, and all calls of the
  // toolkit together; bytes, a message counting as its size + 400. A call over
  // either goes on and can no longer be retried. Zero: nothing is kept; the
  // largest number: no limit.
  // Defaults: 4 MiB and 64 MiB.
  size_t call_buffer_limit = size_t{4} << 20;
  size_t toolkit_buffer_limit = size_t{64} << 20;

  // How responses are read; see codec.h. It must fit the stubs: one that does
  // not is undefined behaviour. Methods without a policy are safe either way,
  // unless a CallScope asks for retries of theirs. Null: ProtobufCodec().
  std::shared_ptr<const Codec> codec;
  // Exceptions by method ("/pkg.Service/Method"); the same holds for them.
  // Default: none.
  std::map<std::string, std::shared_ptr<const Codec>> method_codecs;

  // Threads that drive asynchronous calls; blocking calls run on their own.
  // They start with the first asynchronous call. 1 to 64. Default: 2.
  int threads = 2;

  // A server's delay (pushback or RetryInfo) above this ends the call with the
  // reason `pushback`. Zero: any delay does. Default: 60 s.
  absl::Duration max_server_delay = absl::Seconds(60);

  // Whether a final status names the reason and the number of attempts.
  bool annotate_status = true;

  // Where warnings go, one line each, without a line end; called from Create,
  // Prepare and Reload. Null: standard error.
  std::function<void(absl::string_view line)> log;

  // For tests: what "now" is for deadlines, delays and breakers. It must
  // advance at the pace of real time or be paused; must outlive the toolkit
  // and all its calls. Null: MonotonicClock().
  const Clock* clock = nullptr;

  // For tests: uniformly distributed 64 bits, from any thread. Null: a
  // generator per thread, seeded by the system.
  std::function<uint64_t()> random;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_OPTIONS_H_
