#include "cli/method_catalog.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.pb.h"

namespace retrykit {
namespace cli {
namespace {

MethodCatalog::Method MethodOf(
    const google::protobuf::MethodDescriptorProto& declared) {
  using google::protobuf::MethodOptions;
  MethodCatalog::Method method;
  method.name = std::string(declared.name());
  method.declares_idempotency = declared.options().idempotency_level() !=
                                MethodOptions::IDEMPOTENCY_UNKNOWN;
  method.streams_requests = declared.client_streaming();
  method.streams_responses = declared.server_streaming();
  return method;
}

}  // namespace

absl::StatusOr<MethodCatalog> MethodCatalog::FromDescriptorSet(
    absl::string_view bytes) {
  google::protobuf::FileDescriptorSet set;
  if (!set.ParseFromString(std::string(bytes)))
    return absl::InvalidArgumentError("not a protobuf FileDescriptorSet");
  MethodCatalog catalog;
  for (const auto& file : set.file()) {
    const std::string prefix =
        file.package().empty() ? "" : absl::StrCat(file.package(), ".");
    for (const auto& service : file.service()) {
      std::vector<Method>& methods =
          catalog.services_[absl::StrCat(prefix, service.name())];
      for (const auto& method : service.method())
        methods.push_back(MethodOf(method));
    }
  }
  if (catalog.services_.empty())
    return absl::InvalidArgumentError("the descriptor set has no service");
  return catalog;
}

const std::vector<MethodCatalog::Method>* MethodCatalog::Find(
    const std::string& service) const {
  const auto found = services_.find(service);
  return found == services_.end() ? nullptr : &found->second;
}

std::vector<std::string> MethodCatalog::service_names() const {
  std::vector<std::string> names;
  for (const auto& service : services_) names.push_back(service.first);
  return names;
}

}  // namespace cli
}  // namespace retrykit
