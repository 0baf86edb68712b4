// How often this program has asked for memory, gRPC's C core included.
//
// Linking it replaces malloc (glibc; elsewhere operator new alone). A count
// costs about a nanosecond and no cache line that threads share.
//
// Thread-safety: any thread.
#ifndef TESTS_BENCHMARK_OVERHEAD_ALLOCATIONS_H_
#define TESTS_BENCHMARK_OVERHEAD_ALLOCATIONS_H_

#include <cstdint>

namespace retrykit {

// Since the start, of all threads. Exact while the others stand still.
uint64_t Allocations();

// Of the calling thread.
uint64_t AllocationsOfThisThread();

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_OVERHEAD_ALLOCATIONS_H_
