#include "tests/engine/stream_story.h"

#include <type_traits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/support/step_text.h"

namespace retrykit {
namespace {

struct StreamActionWriter {
  Instant origin;

  std::string operator()(const StartStream& action) const {
    return absl::StrCat(ActionText(action.start, origin),
                        action.message_follows ? " with a message" : "");
  }
  std::string operator()(const SendMessage& action) const {
    return absl::StrCat("SendMessage ", action.attempt, " ", action.message,
                        action.half_close ? " last" : "");
  }
  std::string operator()(const SendHalfClose& action) const {
    return absl::StrCat("SendHalfClose ", action.attempt);
  }
  std::string operator()(const StartRead& action) const {
    return absl::StrCat("StartRead ", action.attempt);
  }
  std::string operator()(const ForgetMessages& action) const {
    return absl::StrCat("ForgetMessages below ", action.below);
  }
  std::string operator()(const CompleteWrite& action) const {
    return action.ok ? "CompleteWrite" : "CompleteWrite failed";
  }
  std::string operator()(const DeliverMessage& action) const {
    return absl::StrCat("DeliverMessage ", action.attempt);
  }
  std::string operator()(const FailRead&) const { return "FailRead"; }
  std::string operator()(const DeliverHeaders& action) const {
    return absl::StrCat("DeliverHeaders ", action.attempt);
  }
  std::string operator()(const DeliverResult& action) const {
    switch (action.instead) {
      case absl::StatusCode::kOk:
        return "DeliverResult";
      case absl::StatusCode::kCancelled:
        return "DeliverResult cancelled";
      default:
        return "DeliverResult late";
    }
  }
  template <typename Shared>
  std::string operator()(const Shared& action) const {
    return ActionText(action, origin);
  }
};

}  // namespace

StreamStory::StreamStory(int64_t quota_limit)
    : quota(quota_limit), begin_(clock.Now()), random_(ScriptedRandom({0.5})) {
  rules.max_attempts = 4;
  rules.retryable = {absl::StatusCode::kAborted};
  rules.backoff.initial_backoff = absl::Milliseconds(20);
  rules.backoff.max_backoff = absl::Milliseconds(200);
  rules.backoff.multiplier = 2;
  rules.backoff.jitter = Jitter::kNone;
  setup.rules = &rules;
  setup.random = &random_;
  options.quota = &quota;
}

Lines StreamStory::Step(const StreamEvent& event) {
  if (!engine_) engine_.emplace(setup, options);
  Lines lines;
  for (const StreamAction& action : engine_->Step(event, clock.Now()).list) {
    lines.push_back(std::visit(StreamActionWriter{begin_}, action));
  }
  return lines;
}

Lines StreamStory::End(int attempt, const AttemptOutcome& outcome) {
  Lines lines = Step(ReadsEnded{attempt});
  for (std::string& line : Step(StatusArrived{attempt, outcome})) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace retrykit
