// A set of gRPC status codes in one machine word.
//
//   StatusCodeSet retryable{absl::StatusCode::kUnavailable};
//   if (retryable.Contains(code)) ...
//
// absl::StatusCode has gRPC's numbers (0 to 16); a code outside that range is
// in no set.
// Thread-safety: a value type.
#ifndef RETRYKIT_INTERCEPTORS_CORE_STATUS_CODE_SET_H_
#define RETRYKIT_INTERCEPTORS_CORE_STATUS_CODE_SET_H_

#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"

namespace retrykit {

class StatusCodeSet {
 public:
  constexpr StatusCodeSet() = default;
  constexpr StatusCodeSet(std::initializer_list<absl::StatusCode> codes) {
    for (absl::StatusCode code : codes) Add(code);
  }

  constexpr void Add(absl::StatusCode code) { bits_ |= Bit(code); }
  constexpr bool Contains(absl::StatusCode code) const {
    return (bits_ & Bit(code)) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }

  friend constexpr bool operator==(StatusCodeSet a, StatusCodeSet b) {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(StatusCodeSet a, StatusCodeSet b) {
    return a.bits_ != b.bits_;
  }

 private:
  static constexpr uint32_t Bit(absl::StatusCode code) {
    const auto number = static_cast<unsigned>(code);
    return number <= 16 ? 1u << number : 0u;
  }

  uint32_t bits_ = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CORE_STATUS_CODE_SET_H_
