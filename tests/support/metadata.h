// Metadata that outlives the context it came from.
#ifndef TESTS_SUPPORT_METADATA_H_
#define TESTS_SUPPORT_METADATA_H_

#include <grpcpp/support/string_ref.h>

#include <map>
#include <string>
#include <vector>

namespace retrykit {

using Metadata = std::multimap<std::string, std::string>;

// A copy of what a gRPC context holds.
Metadata CopyOf(const std::multimap<grpc::string_ref, grpc::string_ref>& of);

// The values of `key`, in the order of arrival.
std::vector<std::string> ValuesOf(const Metadata& metadata,
                                  const std::string& key);

// The value of `key`; `absent` when there is none, all joined by "," when there
// are several.
std::string ValueOf(const Metadata& metadata, const std::string& key,
                    const std::string& absent = "-");

}  // namespace retrykit

#endif  // TESTS_SUPPORT_METADATA_H_
