#include "tests/soak/soak_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace retrykit {

MemoryUse MeasureMemory() {
  malloc_trim(0);
  const struct mallinfo2 heap = mallinfo2();
  MemoryUse use;
  use.heap = static_cast<int64_t>(heap.uordblks + heap.hblkhd);
  int64_t pages_in_all = 0;
  int64_t pages_resident = 0;
  std::ifstream("/proc/self/statm") >> pages_in_all >> pages_resident;
  use.resident = pages_resident * sysconf(_SC_PAGESIZE);
  return use;
}

}  // namespace retrykit
