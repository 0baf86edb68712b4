#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/config/field_rules.h"
#include "interceptors/config/validate.h"

namespace retrykit {
namespace {

// Records a wildcard, which gRPC would take for a name that nothing has.
bool HasWildcard(const v1::Name& name, ConfigErrors& errors) {
  if (name.service() == "*") {
    AddAt("service", "is not a wildcard, did you mean {}?", errors);
    return true;
  }
  if (name.method() == "*") {
    AddAt("method", "is not a wildcard, did you mean {\"service\": ...} alone?",
          errors);
    return true;
  }
  return false;
}

// Records a path that stands twice.
void Claim(const std::string& path, absl::flat_hash_set<std::string>& taken,
           ConfigErrors& errors) {
  if (taken.insert(path).second) return;
  errors.Add(path.empty()
                 ? "duplicate default method config"
                 : absl::StrCat("multiple method configs for path ", path));
}

}  // namespace

std::vector<std::string> ValidateNames(const v1::MethodConfig& config,
                                       absl::flat_hash_set<std::string>& taken,
                                       ConfigErrors& errors) {
  std::vector<std::string> paths;
  const ConfigErrors::Field list(errors, "name");
  if (config.name().empty() && !errors.FieldHasErrors()) {
    errors.Add("must be non-empty");
  }
  for (int i = 0; i < config.name_size(); ++i) {
    const ConfigErrors::Field element(errors, static_cast<std::size_t>(i));
    const v1::Name& name = config.name(i);
    if (errors.FieldHasErrors() || HasErrorsAt("service", errors) ||
        HasErrorsAt("method", errors) || HasWildcard(name, errors)) {
      continue;
    }
    const bool has_method =
        name.has_service() ? !name.method().empty() : name.has_method();
    if (name.service().empty() && has_method) {
      errors.Add("method name populated without service name");
      continue;
    }
    paths.push_back(name.service().empty() ? ""
                                           : absl::StrCat("/", name.service(),
                                                          "/", name.method()));
    Claim(paths.back(), taken, errors);
  }
  return paths;
}

}  // namespace retrykit
