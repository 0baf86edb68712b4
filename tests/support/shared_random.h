// Chance for what takes a RandomSource, from any generator of seeded_random.h:
// the same numbers in every run, as long as one thread draws them.
//
//   SharedRandom<SeededRandom> random;
//   setup.random = &random;
//
// Thread-safety: any thread.
#ifndef RETRYKIT_TESTS_SUPPORT_SHARED_RANDOM_H_
#define RETRYKIT_TESTS_SUPPORT_SHARED_RANDOM_H_

#include <utility>

#include "absl/base/thread_annotations.h"
#include "interceptors/core/mutex.h"
#include "interceptors/core/random_source.h"
#include "tests/support/seeded_random.h"

namespace retrykit {

template <typename Generator = SeededRandom>
class SharedRandom final : public RandomSource {
 public:
  explicit SharedRandom(Generator generator = Generator())
      : generator_(std::move(generator)) {}

  result_type operator()() override {
    MutexLock lock(mu_);
    return generator_();
  }

 private:
  Mutex mu_;
  Generator generator_ ABSL_GUARDED_BY(mu_);
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_SUPPORT_SHARED_RANDOM_H_
