// A config against the services that there are.
//
// Thread-safety: pure but for `diagnoses`.
#ifndef RETRYKIT_CLI_CATALOG_CHECK_H_
#define RETRYKIT_CLI_CATALOG_CHECK_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "cli/diagnosis.h"
#include "cli/method_catalog.h"
#include "interceptors/config/config.h"

namespace retrykit {
namespace cli {

// Errors for services and methods that `text`, a valid config, names and the
// catalog does not have.
void CheckNames(absl::string_view text, const MethodCatalog& catalog,
                std::vector<Diagnosis>& diagnoses);

// Takes back the warnings that calls may be carried out twice of entries whose
// methods in the catalog, at least one, all declare idempotency.
void DropVoidWarnings(const ParsedConfig& config, const MethodCatalog& catalog,
                      std::vector<Diagnosis>& diagnoses);

// Warnings for methods that are retried or hedged, declare no idempotency and
// get no idempotency key.
void CheckIdempotency(const ParsedConfig& config, const MethodCatalog& catalog,
                      std::vector<Diagnosis>& diagnoses);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_CATALOG_CHECK_H_
