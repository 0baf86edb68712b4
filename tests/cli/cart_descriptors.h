// A descriptor set for tests: service shop.Cart with the methods List
// (NO_SIDE_EFFECTS), Put (IDEMPOTENT), Pay (says nothing) and Watch (says
// nothing, streams responses).
//
// Thread-safety: pure.
#ifndef RETRYKIT_TESTS_CLI_CART_DESCRIPTORS_H_
#define RETRYKIT_TESTS_CLI_CART_DESCRIPTORS_H_

#include <string>

#include "google/protobuf/descriptor.pb.h"

namespace retrykit {
namespace cli {

inline std::string CartDescriptors() {
  using google::protobuf::MethodOptions;
  google::protobuf::FileDescriptorSet set;
  auto& file = *set.add_file();
  file.set_name("shop.proto");
  file.set_package("shop");
  auto& service = *file.add_service();
  service.set_name("Cart");
  const auto add = [&](const char* name) -> auto& {
    auto& method = *service.add_method();
    method.set_name(name);
    return method;
  };
  add("List").mutable_options()->set_idempotency_level(
      MethodOptions::NO_SIDE_EFFECTS);
  add("Put").mutable_options()->set_idempotency_level(
      MethodOptions::IDEMPOTENT);
  add("Pay");
  add("Watch").set_server_streaming(true);
  return set.SerializeAsString();
}

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_TESTS_CLI_CART_DESCRIPTORS_H_
