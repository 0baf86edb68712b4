// A hash table from three label values to something, that is read on every
// event and seldom grows: finding takes no lock and builds no string.
//
//   LabelTable<MethodMetrics> table;
//   MethodMetrics* metrics = table.Find({target, method, ""});
//   if (metrics == nullptr) {
//     MutexLock lock(mu_);      // Whoever adds.
//     metrics = &table.FindOrAdd(key, [] { return ...; });
//   }
//
// Thread-safety: Find from any thread; FindOrAdd from one at a time, beside
// Find.
// Lifetime: what it holds stays until the table goes.
#ifndef RETRYKIT_INTERCEPTORS_TELEMETRY_LABEL_TABLE_H_
#define RETRYKIT_INTERCEPTORS_TELEMETRY_LABEL_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace retrykit {

template <typename Value>
class LabelTable {
 public:
  using Key =
      std::tuple<absl::string_view, absl::string_view, absl::string_view>;

  LabelTable() = default;
  LabelTable(const LabelTable&) = delete;
  LabelTable& operator=(const LabelTable&) = delete;
  ~LabelTable() {
    for (std::atomic<Node*>& bucket : buckets_) {
      Node* node = bucket.load(std::memory_order_relaxed);
      while (node != nullptr) delete std::exchange(node, node->next);
    }
  }

  // Null: not there.
  Value* Find(const Key& key) const {
    const Node* node = buckets_[Index(key)].load(std::memory_order_acquire);
    while (node != nullptr && node->key() != key) node = node->next;
    return node == nullptr ? nullptr : node->value.get();
  }

  // `make` gives a std::unique_ptr<Value>.
  template <typename Make>
  Value& FindOrAdd(const Key& key, const Make& make) {
    if (Value* found = Find(key)) return *found;
    std::atomic<Node*>& bucket = buckets_[Index(key)];
    auto* node =
        new Node{std::string(std::get<0>(key)), std::string(std::get<1>(key)),
                 std::string(std::get<2>(key)), make(),
                 bucket.load(std::memory_order_relaxed)};
    bucket.store(node, std::memory_order_release);
    return *node->value;
  }

 private:
  struct Node {
    Key key() const { return {first, second, third}; }

    const std::string first;
    const std::string second;
    const std::string third;
    const std::unique_ptr<Value> value;
    Node* const next;
  };

  static constexpr size_t kBuckets = 4096;

  static size_t Index(const Key& key) {
    return absl::Hash<Key>()(key) % kBuckets;
  }

  std::array<std::atomic<Node*>, kBuckets> buckets_ = {};
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_TELEMETRY_LABEL_TABLE_H_
