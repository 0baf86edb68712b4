#include "interceptors/core/status_code_set.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace retrykit {
namespace {

TEST(StatusCodeSetTest, StartsEmpty) {
  constexpr StatusCodeSet none;
  EXPECT_TRUE(none.empty());
  for (int code = 0; code <= 16; ++code) {
    EXPECT_FALSE(none.Contains(static_cast<absl::StatusCode>(code))) << code;
  }
}

TEST(StatusCodeSetTest, HoldsEachOfTheSeventeenCodesByItself) {
  for (int code = 0; code <= 16; ++code) {
    StatusCodeSet set;
    set.Add(static_cast<absl::StatusCode>(code));
    EXPECT_FALSE(set.empty());
    for (int other = 0; other <= 16; ++other) {
      EXPECT_EQ(set.Contains(static_cast<absl::StatusCode>(other)),
                other == code)
          << code << " " << other;
    }
  }
}

TEST(StatusCodeSetTest, ACodeOutsideTheRangeIsInNoSet) {
  for (int code : {-1, 17, 31, 32, 33, 1 << 20}) {
    StatusCodeSet set;
    set.Add(static_cast<absl::StatusCode>(code));
    EXPECT_TRUE(set.empty()) << code;
    EXPECT_FALSE(set.Contains(static_cast<absl::StatusCode>(code))) << code;
  }
}

TEST(StatusCodeSetTest, OrderAndRepetitionDoNotMatter) {
  const StatusCodeSet set{absl::StatusCode::kUnavailable,
                          absl::StatusCode::kAborted};
  const StatusCodeSet same{absl::StatusCode::kAborted,
                           absl::StatusCode::kUnavailable,
                           absl::StatusCode::kAborted};
  EXPECT_EQ(set, same);
  EXPECT_NE(set, StatusCodeSet{absl::StatusCode::kAborted});
}

}  // namespace
}  // namespace retrykit
