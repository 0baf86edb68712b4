#include "tests/benchmark/overhead_allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace retrykit {
namespace {

// One per thread, up to as many threads as a benchmark has; more share.
struct alignas(64) Counter {
  std::atomic<uint64_t> count{0};
};
constexpr unsigned kCounters = 256;
Counter counters[kCounters];
std::atomic<unsigned> threads{0};

std::atomic<uint64_t>& OwnCount() {
  static thread_local unsigned own = 0;  // 0: not chosen yet.
  if (own == 0) own = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return counters[own % kCounters].count;
}

void Count() {
  std::atomic<uint64_t>& count = OwnCount();
  // No atomic addition: nobody else writes it.
  count.store(count.load(std::memory_order_relaxed) + 1,
              std::memory_order_relaxed);
}

}  // namespace

uint64_t Allocations() {
  uint64_t sum = 0;
  for (const Counter& counter : counters)
    sum += counter.count.load(std::memory_order_relaxed);
  return sum;
}

uint64_t AllocationsOfThisThread() {
  return OwnCount().load(std::memory_order_relaxed);
}

}  // namespace retrykit

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RETRYKIT_COUNT_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RETRYKIT_COUNT_MALLOC 0
#endif
#endif
#if !defined(RETRYKIT_COUNT_MALLOC)
#if defined(__GLIBC__)
#define RETRYKIT_COUNT_MALLOC 1
#else
#define RETRYKIT_COUNT_MALLOC 0
#endif
#endif

#if RETRYKIT_COUNT_MALLOC

// operator new and gRPC's gpr_malloc end here, those of shared libraries too.
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);

void* malloc(size_t size) {
  retrykit::Count();
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  retrykit::Count();
  return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
  retrykit::Count();
  return __libc_realloc(old, size);
}

}  // extern "C"

#else

void* operator new(size_t size) {
  retrykit::Count();
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

#endif
