// Whether something lies on the calling thread's stack.
//
// A blocking call's batch object does, an asynchronous call's never: that is
// how a call is known to be one whose thread waits. In doubt (a fibre's stack,
// a system that does not tell) the answer is no.
//
// Thread-safety: any thread; the bounds are asked for once per thread.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_THREAD_STACK_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_THREAD_STACK_H_

namespace retrykit {

bool OnThisThreadsStack(const void* object);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_THREAD_STACK_H_
