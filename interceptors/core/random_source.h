// The source of chance, injected wherever a random number is drawn.
//
// A RandomSource is a uniform random bit generator with a virtual call, so
// that production, tests and the simulator run the same code:
//
//   RandomSource& random = SystemRandom();
//   absl::Duration delay = backoff.Next(options, random);   // as a BitGenRef
//
// Thread-safety: implementations must allow calls from any thread.
#ifndef RETRYKIT_INTERCEPTORS_CORE_RANDOM_SOURCE_H_
#define RETRYKIT_INTERCEPTORS_CORE_RANDOM_SOURCE_H_

#include <cstdint>
#include <limits>

namespace retrykit {

class RandomSource {
 public:
  using result_type = uint64_t;

  virtual ~RandomSource() = default;

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() {
    return std::numeric_limits<result_type>::max();
  }
  virtual result_type operator()() = 0;
};

// One generator per thread, seeded by the system; not for secrets.
// Lifetime: the whole program.
RandomSource& SystemRandom();

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CORE_RANDOM_SOURCE_H_
