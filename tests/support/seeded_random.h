// Chance for tests: the same numbers in every run.
//
//   SeededRandom random;                       // Looks random.
//   ScriptedRandom middle({0.5});              // Every draw from its middle.
//   absl::Uniform<double>(middle, 10, 20);     // 15
//
// Thread-safety: none.
#ifndef RETRYKIT_TESTS_SUPPORT_SEEDED_RANDOM_H_
#define RETRYKIT_TESTS_SUPPORT_SEEDED_RANDOM_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace retrykit {

class SeededRandom : public std::mt19937_64 {
 public:
  explicit SeededRandom(uint64_t seed = 20210823) : std::mt19937_64(seed) {}
};

// Plays a list of fractions over and over: each says from where in its interval
// the next number is drawn; 0 is the lowest, anything from 1 up the highest.
class ScriptedRandom {
 public:
  using result_type = uint64_t;

  explicit ScriptedRandom(std::vector<double> fractions)
      : fractions_(std::move(fractions)) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() {
    return std::numeric_limits<result_type>::max();
  }

  result_type operator()() {
    const double fraction = fractions_[draws_++ % fractions_.size()];
    return fraction >= 1 ? max()
                         : static_cast<result_type>(std::ldexp(fraction, 64));
  }

  // Numbers drawn so far.
  size_t draws() const { return draws_; }

 private:
  const std::vector<double> fractions_;
  size_t draws_ = 0;
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_SUPPORT_SEEDED_RANDOM_H_
