#include "cli/text_position.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kText[] = R"({
  "über": 1, "methodConfig": [
    {"name": [{}], "timeout": "}\"],"},
    {"retryPolicy": {"maxAttempts": [1, 2]}}
  ]
})";

std::string Of(const std::string& path) {
  const TextPosition at = TextPositions(kText).Of(path);
  return absl::StrCat(at.line, ":", at.column);
}

TEST(TextPositionsTest, FindsKeysAndElements) {
  EXPECT_EQ(Of(""), "1:1");
  EXPECT_EQ(Of("methodConfig"), "2:14");
  EXPECT_EQ(Of("methodConfig[0]"), "3:5");
  EXPECT_EQ(Of("methodConfig[0].timeout"), "3:20");
  EXPECT_EQ(Of("methodConfig[1].retryPolicy.maxAttempts"), "4:22");
  EXPECT_EQ(Of("methodConfig[1].retryPolicy.maxAttempts[1]"), "4:41");
}

TEST(TextPositionsTest, WhatIsMissingIsAtItsParent) {
  EXPECT_EQ(Of("methodConfig[1].retryPolicy.maxBackoff"), "4:6");
  EXPECT_EQ(Of("methodConfig[7].timeout"), "2:14");
  EXPECT_EQ(Of("method"), "1:1");
}

TEST(TextPositionsTest, TakesAnyText) {
  for (const std::string text : {"", "{", "[", "[,", "{\"", "{\"a",
                                 "{\"a\":", "{]", "[}", "\"\\", "}"}) {
    EXPECT_GE(TextPositions(text).Of("a[0].b").line, 1) << text;
  }
  const std::string deep(100'000, '[');
  EXPECT_EQ(TextPositions(deep).Of("[0][0]").column, 3);
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
