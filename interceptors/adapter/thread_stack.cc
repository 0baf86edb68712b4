#include "interceptors/adapter/thread_stack.h"

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace retrykit {
namespace {

struct Bounds {
  uintptr_t low = 0;
  uintptr_t high = 0;  // Equal to low: not known.

  bool Contain(const void* object) const {
    const auto address = reinterpret_cast<uintptr_t>(object);
    return address >= low && address < high;
  }
};

Bounds ThisThreadsBounds() {
  Bounds bounds;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    bounds.low = reinterpret_cast<uintptr_t>(low);
    bounds.high = bounds.low + size;
  }
  pthread_attr_destroy(&attributes);
#endif
  return bounds;
}

}  // namespace

bool OnThisThreadsStack(const void* object) {
  thread_local const Bounds bounds = ThisThreadsBounds();
  // A fibre runs elsewhere: then this very frame is outside the bounds too.
  const void* frame = __builtin_frame_address(0);
  return bounds.Contain(frame) && bounds.Contain(object);
}

}  // namespace retrykit
