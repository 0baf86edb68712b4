// Which services and methods there are, and whether a method may be carried out
// twice: from a protobuf FileDescriptorSet
// (protoc --descriptor_set_out=FILE --include_imports ...).
//
// Thread-safety: immutable after construction.
#ifndef RETRYKIT_CLI_METHOD_CATALOG_H_
#define RETRYKIT_CLI_METHOD_CATALOG_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace retrykit {
namespace cli {

class MethodCatalog {
 public:
  struct Method {
    std::string name;
    bool declares_idempotency = false;  // Option idempotency_level.
    bool streams_requests = false;
    bool streams_responses = false;
  };

  // Errors: InvalidArgument where the bytes are no FileDescriptorSet, or one
  // without a service.
  static absl::StatusOr<MethodCatalog> FromDescriptorSet(
      absl::string_view bytes);

  // Null: no such service ("pkg.Service").
  const std::vector<Method>* Find(const std::string& service) const;
  std::vector<std::string> service_names() const;

  const std::map<std::string, std::vector<Method>>& services() const {
    return services_;
  }

 private:
  std::map<std::string, std::vector<Method>> services_;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_METHOD_CATALOG_H_
