// Durations, decimals and suggestions: the small parts of reading values.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interceptors/config/decimal_text.h"
#include "interceptors/config/duration_text.h"
#include "interceptors/config/suggestions.h"

namespace retrykit {
namespace {

TEST(DurationText, ReadsNanosecondsExactly) {
  EXPECT_EQ(*ParseDurationText("0.000000001s"), absl::Nanoseconds(1));
  EXPECT_EQ(*ParseDurationText("1.5s"), absl::Milliseconds(1500));
  EXPECT_EQ(*ParseDurationText("0s"), absl::ZeroDuration());
  EXPECT_EQ(*ParseDurationText("315576000000.999999999s"),
            absl::Seconds(315576000000) + absl::Nanoseconds(999999999));
}

TEST(DurationText, WritesTheShortestForm) {
  EXPECT_EQ(DurationText(absl::ZeroDuration()), "0s");
  EXPECT_EQ(DurationText(absl::Milliseconds(50)), "0.05s");
  EXPECT_EQ(DurationText(absl::Seconds(90)), "90s");
  EXPECT_EQ(DurationText(absl::Seconds(100) + absl::Nanoseconds(10)),
            "100.00000001s");
}

struct DurationRow {
  const char* text;
  const char* error;
};

TEST(DurationText, RefusesInCoresWords) {
  const DurationRow rows[] = {
      {"", "Not a duration (no s suffix)"},
      {"1", "Not a duration (no s suffix)"},
      {"1s ", "Not a duration (no s suffix)"},
      {"s", "Not a duration (not a number of seconds)"},
      {".5s", "Not a duration (not a number of seconds)"},
      {"+1s", "Not a duration (not a number of seconds)"},
      {" 1s", "Not a duration (not a number of seconds)"},
      {"1 s", "Not a duration (not a number of seconds)"},
      {"100ms", "Not a duration (not a number of seconds)"},
      {"99999999999999999999s", "Not a duration (not a number of seconds)"},
      {"1.s", "Not a duration (not a number of nanoseconds)"},
      {"1.-5s", "Not a duration (not a number of nanoseconds)"},
      {"1.5.5s", "Not a duration (not a number of nanoseconds)"},
      {"0.9999999999s", "Not a duration (not a number of nanoseconds)"},
      {"0.0000000001s", "Not a duration (too many digits after decimal)"},
      {"-1s", "seconds must be in the range [0, 315576000000]"},
      {"-0.5s", "seconds must be in the range [0, 315576000000]"},
      {"-0s", "seconds must be in the range [0, 315576000000]"},
      {"315576000001s", "seconds must be in the range [0, 315576000000]"},
  };
  for (const DurationRow& row : rows) {
    EXPECT_EQ(ParseDurationText(row.text).status().message(), row.error)
        << row.text;
  }
}

struct DecimalRow {
  const char* text;
  absl::optional<int64_t> thousandths;
};

TEST(ParseThousandths, ReadsDecimalsNotFloats) {
  const DecimalRow rows[] = {
      {"0.1", 100},
      {"0.29", 290},
      {"0.001", 1},
      {"0.0009", 0},
      {"0.9999", 999},
      {"1", 1000},
      {"007", 7000},
      {"10.5", 10500},
      {" +0.5 ", 500},
      {"1e-1", 100},
      {"1.25E+1", 12500},
      {"12345e-4", 1234},
      {"0.00001e5", 1000},
      {"0e999999999999", 0},
      {"1e-999999999999", 0},
      {"4294967295.999", 4294967295999},
      {"4294967296", absl::nullopt},
      {"1e10", absl::nullopt},
      {"1e999999999999", absl::nullopt},
      {"99999999999999999999999", absl::nullopt},
      {"", absl::nullopt},
      {"-0.1", absl::nullopt},
      {".5", absl::nullopt},
      {"1.", absl::nullopt},
      {"1e", absl::nullopt},
      {"1e5x", absl::nullopt},
      {"1.5.5", absl::nullopt},
      {"abc", absl::nullopt},
      {"inf", absl::nullopt},
  };
  for (const DecimalRow& row : rows) {
    EXPECT_EQ(ParseThousandths(row.text), row.thousandths) << row.text;
  }
}

struct MeantRow {
  const char* text;
  const char* meant;
};

TEST(DurationMeant, KnowsOtherNotations) {
  const MeantRow rows[] = {
      {"100ms", "\"0.1s\""},
      {"1m30s", "\"90s\""},
      {"1h", "\"3600s\""},
      {"500us", "\"0.0005s\""},
      {"5", "\"5s\""},
      {"0.25", "\"0.25s\""},
      {"1 s", "\"1s\""},
      {"1S", "\"1s\""},
      {"+1s", "\"1s\""},
      {"5 seconds", "\"5s\""},
      {"10sec", "\"10s\""},
      {"2 minutes", "\"120s\""},
      {"250 millis", "\"0.25s\""},
      {"-1s", ""},
      {"0", ""},
      {"soon", ""},
      {"", ""},
      {"inf", ""},
  };
  for (const MeantRow& row : rows) {
    EXPECT_EQ(DurationMeant(row.text), row.meant) << row.text;
  }
}

TEST(NearestWord, KnowsSlips) {
  const std::vector<std::string> words = {"maxAttempts", "initialBackoff",
                                          "maxBackoff", "name"};
  const MeantRow rows[] = {
      {"MaxAttempts", "maxAttempts"},
      {"max_attempts", "maxAttempts"},
      {"max-attempts", "maxAttempts"},
      {"maxAttemps", "maxAttempts"},
      {"maxAtetmpts", "maxAttempts"},
      {"initalBackof", "initialBackoff"},
      {"maxBackof", "maxBackoff"},
      {"names", "name"},
      {"attempts", ""},
      {"x", ""},
      {"timeout", ""},
      {"", ""},
      {"___", ""},
  };
  for (const MeantRow& row : rows) {
    EXPECT_EQ(NearestWord(row.text, words), row.meant) << row.text;
  }
}

TEST(NearestWord, DoesNoWorkForLongWords) {
  EXPECT_EQ(NearestWord(std::string(1'000'000, 'a'), {"a"}), "");
}

}  // namespace
}  // namespace retrykit
