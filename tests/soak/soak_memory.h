// How much memory the process uses.
#ifndef TESTS_SOAK_SOAK_MEMORY_H_
#define TESTS_SOAK_SOAK_MEMORY_H_

#include <cstdint>

namespace retrykit {

struct MemoryUse {
  int64_t heap = 0;      // Bytes that malloc has given out; 0 where it is
                         // another malloc (a sanitizer's) that does not say.
  int64_t resident = 0;  // Bytes in main memory.
};

// After giving back to the system what is free.
MemoryUse MeasureMemory();

}  // namespace retrykit

#endif  // TESTS_SOAK_SOAK_MEMORY_H_
