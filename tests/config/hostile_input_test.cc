// E06: whatever the text, an error and never a crash or a hang.

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>

#include "tests/config/parsing.h"

namespace retrykit {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

std::string Repeated(absl::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) absl::StrAppend(&text, piece);
  return text;
}

std::string RandomBytes(std::mt19937_64& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() % 256);
  return bytes;
}

TEST(E06, MegabyteOfRandomBytes) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 8; ++i) {
    EXPECT_NE(ErrorOf(RandomBytes(random, kMegabyte)), "");
  }
}

TEST(E06, RandomBytesBehindASoundBeginning) {
  std::mt19937_64 random(7);
  const std::string beginning = R"({"methodConfig":[{"name":[{"service":")";
  for (int i = 0; i < 1000; ++i) {
    EXPECT_NE(ErrorOf(beginning + RandomBytes(random, 200)), "");
  }
}

TEST(E06, DeepNesting) {
  EXPECT_NE(ErrorOf(Repeated("[", kMegabyte)), "");
  EXPECT_NE(ErrorOf(Repeated("{\"a\":", kMegabyte / 5)), "");
  EXPECT_NE(
      ErrorOf(Repeated("[", kMegabyte / 2) + Repeated("]", kMegabyte / 2)), "");
}

TEST(E06, DeepestAllowedNestingPassesToCore) {
  const std::string value = Repeated("[", 254) + Repeated("]", 254);
  EXPECT_EQ(Parsed("{\"new\":" + value + "}").core_json,
            "{\"new\":" + value + "}");
}

TEST(E06, HugeNumbers) {
  const std::string digits = Repeated("9", kMegabyte);
  EXPECT_NE(ErrorOf("{\"a\":" + digits + "}"), "");
  for (const char* field : {"maxAttempts", "backoffMultiplier"}) {
    EXPECT_NE(ErrorOf(OneMethod(absl::StrCat("\"retryPolicy\":{\"", field,
                                             "\":\"", digits, "\"}"))),
              "");
  }
  EXPECT_NE(ErrorOf(absl::StrCat(
                R"({"retryThrottling":{"maxTokens":1,"tokenRatio":")", digits,
                "\"}}")),
            "");
  EXPECT_NE(ErrorOf(OneMethod("\"timeout\":\"" + digits + "s\"")), "");
  EXPECT_NE(ErrorOf(OneMethod("\"timeout\":\"0." + digits + "s\"")), "");
}

TEST(E06, TinyNumbersAreNotZero) {
  const std::string zeros = Repeated("0", kMegabyte);
  EXPECT_EQ(ErrorOf(R"({"retryThrottling":{"maxTokens":1,"tokenRatio":0.)" +
                    zeros + "1}}"),
            Errors("field:retryThrottling.tokenRatio error:must be greater "
                   "than 0"));
}

TEST(E06, NulBytes) {
  EXPECT_NE(ErrorOf(absl::string_view("\0", 1)), "");
  EXPECT_NE(ErrorOf(absl::string_view("{}\0{}", 5)), "");
  EXPECT_NE(ErrorOf(std::string(kMegabyte, '\0')), "");
  // Escaped, it is a character as any other.
  EXPECT_EQ(ErrorOf(OneMethod(R"("a\u0000b":1)")),
            Errors("field:methodConfig[0].a?b error:unknown field"));
}

TEST(E06, InvalidUtf8) {
  for (const char* bytes : {"\x80", "\xc0\xaf", "\xed\xa0\x80",
                            "\xf5\x80\x80\x80", "\xfe", "\xe2\x82"}) {
    EXPECT_NE(ErrorOf(absl::StrCat("{\"", bytes, "\":1}")), "");
  }
}

TEST(E06, LongKeysAndStringsAreCutShort) {
  const std::string error =
      ErrorOf(OneMethod("\"" + Repeated("k", kMegabyte) + "\":1"));
  EXPECT_LT(error.size(), 200u);
  EXPECT_NE(error, "");
}

TEST(E06, ManyMistakes) {
  const std::string error =
      ErrorOf("{\"methodConfig\":[" + Repeated("0,", kMegabyte / 2) + "0]}");
  EXPECT_LT(error.size(), 100'000u);
  EXPECT_NE(error, "");
}

TEST(E06, ManyKeys) {
  std::string members = "\"timeout\":\"1s\"";
  for (int i = 0; i < 50'000; ++i) absl::StrAppend(&members, ",\"t", i, "\":0");
  EXPECT_NE(ErrorOf(OneMethod(members)), "");
  EXPECT_EQ(
      Parsed("{\"retrykit\":{}" + members.substr(14) + "}").warnings.size(),
      50'000u);
}

}  // namespace
}  // namespace retrykit
