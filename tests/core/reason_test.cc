#include "interceptors/core/reason.h"

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace retrykit {
namespace {

constexpr Reason kAll[] = {
#define RETRYKIT_REASON_OF_LIST(name, text, says_so) Reason::name,
    RETRYKIT_REASONS(RETRYKIT_REASON_OF_LIST)
#undef RETRYKIT_REASON_OF_LIST
};

TEST(ReasonTest, EveryReasonHasAWordOfItsOwn) {
  std::set<std::string> words;
  for (Reason reason : kAll) {
    EXPECT_TRUE(words.insert(std::string(ReasonText(reason))).second)
        << ReasonText(reason);
  }
}

TEST(ReasonTest, WordsFitAMetricLabel) {
  for (Reason reason : kAll) {
    EXPECT_EQ(
        ReasonText(reason).find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
        absl::string_view::npos)
        << ReasonText(reason);
  }
}

TEST(ReasonTest, SixReasonsSpeakAfterOneAttempt) {
  std::set<std::string> speaking;
  for (Reason reason : kAll) {
    if (ReasonSpeaksAfterOneAttempt(reason)) {
      speaking.insert(std::string(ReasonText(reason)));
    }
  }
  EXPECT_EQ(speaking, (std::set<std::string>{"buffer", "pushback", "nested",
                                             "budget", "breaker", "deadline"}));
}

}  // namespace
}  // namespace retrykit
