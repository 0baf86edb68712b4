#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/config/field_rules.h"
#include "interceptors/config/suggestions.h"
#include "interceptors/config/validate.h"

namespace retrykit {
namespace {

// What gRPC's wire format allows in a key of metadata.
bool IsHeaderChar(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c)) ||
         absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' ||
         c == '_' || c == '.';
}

bool IsHeaderName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsHeaderChar);
}

// Headers that gRPC or retrykit writes itself.
bool IsReservedHeader(absl::string_view name) {
  return absl::StartsWith(name, "grpc-") ||
         absl::StartsWith(name, "x-retrykit-") || name == "te" ||
         name == "host" || name == "content-type" || name == "user-agent";
}

}  // namespace

std::string ValidateIdempotencyKey(const v1::IdempotencyKey& key,
                                   ConfigErrors& errors) {
  const std::string& name = key.header();
  RequireField(key.has_header(), "header", errors);
  const ConfigErrors::Field field(errors, "header");
  if (errors.FieldHasErrors()) return "";
  if (name.empty()) {
    errors.Add("must be non-empty");
  } else if (!IsHeaderName(name)) {
    const std::string lower = absl::AsciiStrToLower(name);
    const bool meant = name.size() <= 64 && IsHeaderName(lower);
    errors.Add(
        absl::StrCat("is not a header name (a-z, 0-9, \"-\", \"_\", \".\")",
                     meant ? DidYouMean(absl::StrCat("\"", lower, "\"")) : ""));
  } else if (IsReservedHeader(name)) {
    errors.Add("is reserved");
  }
  return name;
}

}  // namespace retrykit
