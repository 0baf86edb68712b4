// Ending a thread that may be the one that ends it.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_JOIN_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_JOIN_H_

#include <thread>

namespace retrykit {

// Waits for the thread's end. Called on the thread itself it detaches it
// instead: the thread must then keep alive what it still uses. Nothing for a
// thread that was never started.
inline void JoinUnlessSelf(std::thread& thread) {
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_JOIN_H_
