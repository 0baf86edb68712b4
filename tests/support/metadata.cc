#include "tests/support/metadata.h"

#include "absl/strings/str_join.h"

namespace retrykit {

Metadata CopyOf(const std::multimap<grpc::string_ref, grpc::string_ref>& of) {
  Metadata copy;
  for (const auto& [key, value] : of) {
    copy.emplace(std::string(key.data(), key.size()),
                 std::string(value.data(), value.size()));
  }
  return copy;
}

std::vector<std::string> ValuesOf(const Metadata& metadata,
                                  const std::string& key) {
  std::vector<std::string> values;
  const auto [begin, end] = metadata.equal_range(key);
  for (auto it = begin; it != end; ++it) values.push_back(it->second);
  return values;
}

std::string ValueOf(const Metadata& metadata, const std::string& key,
                    const std::string& absent) {
  const std::vector<std::string> values = ValuesOf(metadata, key);
  return values.empty() ? absent : absl::StrJoin(values, ",");
}

}  // namespace retrykit
