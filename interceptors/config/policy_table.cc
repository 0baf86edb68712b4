#include "interceptors/config/policy_table.h"

#include <cstdint>
#include <cstring>

namespace retrykit {
namespace {

// An odd number with its bits well spread (2^64 divided by the golden ratio).
constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;

// Up to eight bytes as a number.
uint64_t Load(const char* bytes, std::size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

uint64_t Mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * kFactor;
  return hash ^ (hash >> 32);
}

}  // namespace

std::size_t PolicyTable::PathHash::operator()(absl::string_view path) const {
  const char* at = path.data();
  std::size_t left = path.size();
  uint64_t hash = path.size();
  for (; left > 8; at += 8, left -= 8) hash = Mix(hash, Load(at, 8));
  // The last eight bytes once more, overlapping: no loop over single bytes.
  const uint64_t tail =
      path.size() >= 8 ? Load(at + left - 8, 8) : Load(at, left);
  return static_cast<std::size_t>(Mix(hash, tail) * kFactor);
}

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
