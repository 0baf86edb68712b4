// Which policy a method has: the methodConfig entries of one config by name.
//
//   std::shared_ptr<const MethodPolicy> policy =
//       table.Find("/payments.v1.Payments/Charge");
//   if (policy == nullptr || !policy->has_any()) ... pass through ...
//
// "/service/method" is looked up first, then "/service/", then the default
// (`"name": [{}]`), as gRPC core does. An entry that says nothing about
// policies is found too and so shadows the less specific ones.
//
// Thread-safety: immutable after construction. Lifetime: a policy that was
// found stays valid without its table.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_POLICY_TABLE_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_POLICY_TABLE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy/method_policy.h"

namespace retrykit {

class PolicyTable {
 public:
  // One methodConfig entry.
  struct Entry {
    // "/service/method", "/service/", or "" for the default. No two entries
    // have one in common; where they do, the first one counts.
    std::vector<std::string> paths;
    std::shared_ptr<const MethodPolicy> policy;
  };

  // No entry: every Find is null.
  PolicyTable() = default;
  explicit PolicyTable(const std::vector<Entry>& entries);

  // `method` as gRPC has it: "/pkg.Service/Method". Null: no entry names the
  // method, its service or the default. Does not allocate.
  std::shared_ptr<const MethodPolicy> Find(absl::string_view method) const;

  // In the file's order, one per methodConfig entry.
  const std::vector<std::shared_ptr<const MethodPolicy>>& policies() const {
    return policies_;
  }

 private:
  // Keys come from the config alone, so nobody can choose them to collide: a
  // plain multiplicative hash, inline, at a third of absl::Hash's time.
  struct PathHash {
    using is_transparent = void;
    std::size_t operator()(absl::string_view path) const;
  };
  struct PathEqual {
    using is_transparent = void;
    bool operator()(absl::string_view a, absl::string_view b) const {
      return a == b;
    }
  };

  absl::flat_hash_map<std::string, std::shared_ptr<const MethodPolicy>,
                      PathHash, PathEqual>
      by_path_;
  std::shared_ptr<const MethodPolicy> default_;
  std::vector<std::shared_ptr<const MethodPolicy>> policies_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_POLICY_TABLE_H_
