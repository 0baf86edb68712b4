#include "interceptors/adapter/idempotency_key.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace retrykit {

std::string RandomUuid(RandomSource& random) {
  const uint64_t high = (random() & ~uint64_t{0xf000}) | 0x4000;
  const uint64_t low = (random() >> 2) | (uint64_t{1} << 63);
  return absl::StrFormat("%08x-%04x-%04x-%04x-%012x", high >> 32,
                         (high >> 16) & 0xffff, high & 0xffff, low >> 48,
                         low & 0xffffffffffff);
}

}  // namespace retrykit
