#include "interceptors/core/random_source.h"

#include "absl/random/random.h"

namespace retrykit {
namespace {

class ThreadLocalRandom final : public RandomSource {
 public:
  result_type operator()() override {
    thread_local absl::InsecureBitGen generator;
    return generator();
  }
};

}  // namespace

RandomSource& SystemRandom() {
  static ThreadLocalRandom random;
  return random;
}

}  // namespace retrykit
