// Chance that can be had again: the same numbers for the same seed, on every
// machine and with every library (SplitMix64).
//
// Thread-safety: none.
#ifndef RETRYKIT_CLI_SEEDED_RANDOM_H_
#define RETRYKIT_CLI_SEEDED_RANDOM_H_

#include <cmath>
#include <cstdint>

#include "interceptors/core/random_source.h"

namespace retrykit {
namespace cli {

constexpr int64_t kDefaultSeed = 1;

class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  uint64_t operator()() override {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
  }

  // In [0, 1).
  double Unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  // Of an exponential distribution with mean 1.
  double Exponential() { return -std::log1p(-Unit()); }
  // Of the normal distribution with mean 0 and deviation 1.
  double Normal() {
    const double radius = std::sqrt(2 * Exponential());
    return radius * std::cos(2 * 3.14159265358979323846 * Unit());
  }

 private:
  uint64_t state_;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_SEEDED_RANDOM_H_
