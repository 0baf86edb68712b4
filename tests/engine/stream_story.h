// One stream's engine in virtual time, told as event -> actions.
//
//   StreamStory story;                            // Four attempts, 20 ms.
//   story.Step(CallStarted{});
//   EXPECT_THAT(story.Step(WriteAsked{64, false}),
//               ElementsAre("SendMessage 1 0"));
//
// Change `rules`, `setup` and `options` before the first event.
#ifndef RETRYKIT_TESTS_ENGINE_STREAM_STORY_H_
#define RETRYKIT_TESTS_ENGINE_STREAM_STORY_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/engine/buffer_quota.h"
#include "interceptors/engine/stream_engine.h"
#include "interceptors/engine/stream_step.h"
#include "interceptors/policy/verdict.h"
#include "tests/engine/engine_story.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/shared_random.h"

namespace retrykit {

class StreamStory {
 public:
  explicit StreamStory(int64_t quota = 1 << 20);

  // Four attempts for ABORTED, 20 ms, 40 ms and 80 ms apart.
  RetryRules rules;
  CallSetup setup;
  StreamOptions options;
  FakeClock clock;
  BufferQuota quota;

  Lines Step(const StreamEvent& event);
  // The opening of the stream, which asks for nothing yet.
  Lines Start() { return Step(CallStarted{}); }
  // A message of the application's, and the wire's taking it.
  Lines Write(int64_t bytes = 100) { return Step(WriteAsked{bytes, false}); }
  Lines WriteLast() { return Step(WriteAsked{100, true}); }
  Lines Wrote(int attempt) { return Step(AttemptWrote{attempt, true}); }
  // The wire's reads end, then its status is there.
  Lines End(int attempt, const AttemptOutcome& outcome);
  Lines Fire(int timer) { return Step(TimerFired{timer}); }

  int64_t kept_bytes() const { return engine_->kept_bytes(); }

 private:
  const Instant begin_;
  SharedRandom<ScriptedRandom> random_;
  absl::optional<StreamEngine> engine_;  // Made by the first event.
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_ENGINE_STREAM_STORY_H_
