// E01: the same verdict and wording as gRPC core, but for named differences.

#include <grpcpp/support/validate_service_config.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "interceptors/config/config.h"
#include "tests/config/oracle_cases.h"

namespace retrykit {
namespace {

// "" where it is accepted.
std::string CoreSays(const std::string& json) {
  const std::string said = grpc::experimental::ValidateServiceConfigJSON(json);
  return std::string(absl::StripPrefix(said, "INVALID_ARGUMENT: "));
}

// The same; what was probably meant is retrykit's own addition.
std::string RetrykitSays(const std::string& json) {
  const auto parsed = ParseConfig(json);
  if (parsed.ok()) return "";
  static const auto& suggestion =
      *new std::regex(", did you mean [^?]*\\?|, it belongs at [^;\\]]*");
  return std::regex_replace(std::string(parsed.status().message()), suggestion,
                            "");
}

enum class Verdicts {
  kSameErrors,
  kSame,
  kRefusedHere,         // And accepted by core.
  kRefusedHereAtLeast,  // Core's versions differ.
  kAcceptedHere,
};

// What a difference allows.
Verdicts Allowed(Difference difference) {
  switch (difference) {
    case Difference::kNone:
      return Verdicts::kSameErrors;
    case Difference::kSyntaxWording:
    case Difference::kCodeWording:
      return Verdicts::kSame;
    case Difference::kUnknownKey:
    case Difference::kNoName:
    case Difference::kMethodAlone:
    case Difference::kMaxTokens:
    case Difference::kTwoPolicies:
    case Difference::kHedgingIsRead:
    case Difference::kWildcard:
      return Verdicts::kRefusedHere;
    case Difference::kNullWording:
    case Difference::kSignOrBlank:
    case Difference::kOkCode:
    case Difference::kNotFinite:
      return Verdicts::kRefusedHereAtLeast;
    case Difference::kStatusCode:
    case Difference::kNanoseconds:
    case Difference::kNull:
    case Difference::kExponent:
    case Difference::kPerAttemptAlone:
      return Verdicts::kAcceptedHere;
  }
  return Verdicts::kSameErrors;
}

void Compare(const OracleCase& row) {
  SCOPED_TRACE(absl::StrCat(row.name, ": ", row.json));
  const std::string core = CoreSays(row.json);
  const std::string ours = RetrykitSays(row.json);
  switch (Allowed(row.difference)) {
    case Verdicts::kSameErrors:
      EXPECT_EQ(ours, core);
      return;
    case Verdicts::kSame:
      EXPECT_EQ(ours.empty(), core.empty()) << ours << "\n" << core;
      return;
    case Verdicts::kRefusedHere:
      EXPECT_NE(ours, "");
      EXPECT_EQ(core, "") << "the difference is gone";
      return;
    case Verdicts::kRefusedHereAtLeast:
      EXPECT_NE(ours, "");
      return;
    case Verdicts::kAcceptedHere:
      EXPECT_EQ(ours, "");
      return;
  }
}

TEST(E01, SameVerdictAndWordingAsCore) {
  const auto cases = OracleCases();
  ASSERT_GE(cases.size(), 200u);
  for (const OracleCase& row : cases) Compare(row);
}

}  // namespace
}  // namespace retrykit
