#include "interceptors/config/policy_table.h"

#include <cstddef>

namespace retrykit {

PolicyTable::PolicyTable(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    policies_.push_back(entry.policy);
    for (const std::string& path : entry.paths) {
      if (!path.empty()) {
        by_path_.emplace(path, entry.policy);
      } else if (default_ == nullptr) {
        default_ = entry.policy;
      }
    }
  }
}

std::shared_ptr<const MethodPolicy> PolicyTable::Find(
    absl::string_view method) const {
  if (by_path_.empty()) return default_;
  auto found = by_path_.find(method);
  if (found != by_path_.end()) return found->second;
  const std::size_t slash = method.rfind('/');
  if (slash == absl::string_view::npos) return default_;
  found = by_path_.find(method.substr(0, slash + 1));
  return found != by_path_.end() ? found->second : default_;
}

}  // namespace retrykit
