// Configs for the comparison with gRPC core's own validator: every field that
// core knows, with every kind of value that it could have, one at a time.
#ifndef RETRYKIT_TESTS_CONFIG_ORACLE_CASES_H_
#define RETRYKIT_TESTS_CONFIG_ORACLE_CASES_H_

#include <string>
#include <vector>

namespace retrykit {

// How retrykit may differ from core: the differences that spec section 2
// names, and those in which core's versions differ among themselves.
enum class Difference : unsigned char {
  kNone,           // Same verdict, same errors.
  kSyntaxWording,  // Same verdict; line and column instead of an index.
  kNullWording,    // Refused here; null is an absent field, not a wrong type
                   // as it is for older cores.
  kCodeWording,    // Same verdict; a number is a code, though not this one.
  kUnknownKey,     // Refused here: unknown or misplaced keys (2.1).
  kNoName,         // Refused here: a methodConfig without name.
  kMethodAlone,    // Refused here: a method with an empty service.
  kMaxTokens,      // Refused here: maxTokens over 1000 (gRFC A6).
  kTwoPolicies,    // Refused here: retryPolicy and hedgingPolicy together.
  kHedgingIsRead,  // Refused here: mistakes in what core ignores.
  kWildcard,       // Refused here: "*" as a service.
  kSignOrBlank,    // Refused here: durations with a sign or blanks.
  kOkCode,         // Refused here: OK as a retryable code.
  kNotFinite,      // Refused here: NaN, infinite and overflowing numbers.
  kStatusCode,     // Accepted here: codes by number, in any case (A6).
  kNanoseconds,    // Accepted here: backoffs that core rounds to zero.
  kNull,           // Accepted here: null is an absent field (newer cores too).
  kExponent,       // Accepted here: tokenRatio with an exponent.
  kPerAttemptAlone,  // Accepted here: a per-attempt timeout without codes.
};

struct OracleCase {
  std::string name;
  std::string json;
  Difference difference = Difference::kNone;
};

std::vector<OracleCase> OracleCases();

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_CONFIG_ORACLE_CASES_H_
