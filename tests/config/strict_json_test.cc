#include "interceptors/config/strict_json.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace retrykit {
namespace {

std::string ErrorOf(absl::string_view text) {
  const auto value = ParseStrictJson(text);
  if (value.ok()) return "";
  std::string error(value.status().message());
  const std::string prefix = "JSON parsing failed: ";
  EXPECT_EQ(error.substr(0, prefix.size()), prefix);
  return error.substr(prefix.size());
}

struct Row {
  const char* name;
  std::string text;
  const char* error;
};

class Refused : public testing::TestWithParam<Row> {};

TEST_P(Refused, WithLineAndColumn) {
  EXPECT_EQ(ErrorOf(GetParam().text), GetParam().error);
}

const Row kRefused[] = {
    {"Nothing", "", "line 1, column 1: unexpected end"},
    {"OnlyBlanks", " \n ", "line 2, column 2: unexpected end"},
    {"OpenObject", "{\"a\":1", "line 1, column 7: unexpected end"},
    {"OpenString", "{\"a", "line 1, column 4: unexpected end"},
    {"TrailingCommaInObject", "{\n  \"a\": 1,\n}",
     "line 3, column 1: trailing comma"},
    {"TrailingCommaInArray", "[1, ]", "line 1, column 5: trailing comma"},
    {"TwoCommas", "[1,,2]", "line 1, column 4: unexpected ,"},
    {"MissingComma", "{\"a\":1 \"b\":2}",
     "line 1, column 8: missing comma or colon before this"},
    {"MissingCommaInArray", "[1 2]",
     "line 1, column 4: missing comma or colon before this"},
    {"MissingColon", "{\"a\" 1}",
     "line 1, column 6: missing comma or colon before this"},
    {"LineComment", "{\n// why\n}", "line 2, column 1: JSON has no comments"},
    {"BlockComment", "{} /* x */", "line 1, column 4: JSON has no comments"},
    {"HashComment", "# x\n{}", "line 1, column 1: JSON has no comments"},
    {"SingleQuotes", "{'a': 1}",
     "line 1, column 2: strings stand in double quotes"},
    {"SingleQuotedValue", "{\"a\": 'b'}",
     "line 1, column 7: strings stand in double quotes"},
    {"BareKey", "{maxAttempts: 4}",
     "line 1, column 2: keys stand in double quotes"},
    {"BareKeyOfLetterT", "{ name : 4}",
     "line 1, column 3: keys stand in double quotes"},
    {"DoubledKey", "{\"a\":1,\n \"a\":2}",
     "line 2, column 2: duplicate key \"a\""},
    {"DoubledKeyWithEscapes", R"({"a\"":1,"a\u0022":2})",
     "line 1, column 10: duplicate key \"a\\\"\""},
    {"ByteOrderMark", "\xEF\xBB\xBF{}", "line 1, column 1: byte order mark"},
    {"NotANumber", "{\"a\":NaN}",
     "line 1, column 6: not a number that JSON has"},
    {"LowerNan", "[nan]", "line 1, column 2: not a number that JSON has"},
    {"Infinity", "[-Infinity]", "line 1, column 2: not a number that JSON has"},
    {"PythonTrue", "[True]",
     "line 1, column 2: unexpected True, did you mean true?"},
    {"UpperNull", "[NULL]",
     "line 1, column 2: unexpected NULL, did you mean null?"},
    {"Word", "[yes]", "line 1, column 2: unexpected yes"},
    {"LongWord", "[abcdefghijklmnopqrstuvwxyz]",
     "line 1, column 2: unexpected abcdefghijklmnopqrst..."},
    {"LeadingZero", "[01]", "line 1, column 2: malformed number 01"},
    {"NoDecimals", "[1.]", "line 1, column 2: malformed number 1."},
    {"NoInteger", "[.5]", "line 1, column 2: malformed number .5"},
    {"Plus", "[+1]", "line 1, column 2: malformed number +1"},
    {"Hexadecimal", "[0x1F]", "line 1, column 2: malformed number 0x1F"},
    {"Unit", "[100ms]", "line 1, column 2: malformed number 100ms"},
    {"TooLarge", "{\"a\": 1e400}", "line 1, column 7: number too large"},
    {"TooLargeNegative", "[-1e999]", "line 1, column 2: number too large"},
    {"NulByte", std::string("{}\0", 3), "line 1, column 3: NUL byte"},
    {"NulInString", std::string("[\"\0\"]", 5), "line 1, column 3: NUL byte"},
    {"ErrorBeforeNul", std::string("[x\0", 3),
     "line 1, column 2: unexpected x"},
    {"InvalidUtf8", "[\"\xff\"]", "line 1, column 3: invalid UTF-8"},
    {"OverlongUtf8", "[\"\xc0\xaf\"]", "line 1, column 3: invalid UTF-8"},
    {"SurrogateInUtf8", "[\"\xed\xa0\x80\"]",
     "line 1, column 4: invalid UTF-8"},
    {"CutUtf8", "[\"\xc3\"]", "line 1, column 4: invalid UTF-8"},
    {"NotUtf8Outside", "[\xff]", "line 1, column 2: unexpected character"},
    {"UnknownEscape", R"(["\x41"])",
     "line 1, column 4: invalid escape in a string"},
    {"ShortEscape", R"(["\u12"])",
     "line 1, column 7: invalid escape in a string"},
    {"LoneSurrogate", R"(["\ud800"])",
     "line 1, column 9: invalid escape in a string"},
    {"TabInString", "[\"a\tb\"]",
     "line 1, column 4: control character in a string"},
    {"LineEndInString", "[\"a\nb\"]",
     "line 1, column 4: string not closed on its line"},
    {"SecondValue", "{} {}", "line 1, column 4: unexpected {"},
    {"ClosedWrongly", "[1}", "line 1, column 3: unexpected }"},
    {"ColumnsCountCharacters", "[\"\xC3\xA4\xE2\x82\xAC\" x]",
     "line 1, column 7: missing comma or colon before this"},
    {"SoundEscapeBeforeMissingComma", R"(["\u00e9" "b"])",
     "line 1, column 11: missing comma or colon before this"},
    {"BackslashBeforeMissingComma", R"(["a\\" "b\\"])",
     "line 1, column 8: missing comma or colon before this"},
};

INSTANTIATE_TEST_SUITE_P(StrictJson, Refused, testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

std::string Nested(int levels) {
  const auto count = static_cast<std::size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

TEST(StrictJson, NestsAsDeepAsItsLimitAndNoDeeper) {
  EXPECT_EQ(ErrorOf(Nested(kMaxJsonDepth)), "");
  EXPECT_EQ(ErrorOf(Nested(kMaxJsonDepth + 1)),
            "line 1, column 256: nested deeper than 255 levels");
}

TEST(StrictJson, KeepsNumbersAsTheyAreWritten) {
  const auto value =
      ParseStrictJson("[0.1, 1e-1, 18446744073709551616, -0.0, 1.50]");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(WriteJson(*value), "[0.1,1e-1,18446744073709551616,-0.0,1.50]");
}

TEST(StrictJson, WritesWhatItRead) {
  const auto value = ParseStrictJson(
      "{ \"a\" : [ true , false , null ] , \"\\u0001\\n\\\"\\\\\" : "
      "\"\\u00e4\\ud83d\\ude00\" }");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(WriteJson(*value),
            "{\"a\":[true,false,null],\"\\u0001\\u000a\\\"\\\\\":"
            "\"\xC3\xA4\xF0\x9F\x98\x80\"}");
}

TEST(StrictJson, SameKeyInTwoObjectsIsNotDoubled) {
  EXPECT_EQ(ErrorOf(R"({"a":{"a":1},"b":[{"a":1},{"a":1}]})"), "");
}

TEST(StrictJson, ScalarsAreJson) {
  for (const char* text : {"1", "\"a\"", "true", "null", " [] \n"}) {
    EXPECT_EQ(ErrorOf(text), "") << text;
  }
}

}  // namespace
}  // namespace retrykit
