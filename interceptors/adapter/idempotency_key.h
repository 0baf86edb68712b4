// Keys by which a server recognises the attempts of one call.
//
// Thread-safety: a pure function but for `random`.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_IDEMPOTENCY_KEY_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_IDEMPOTENCY_KEY_H_

#include <string>

#include "interceptors/core/random_source.h"

namespace retrykit {

// A random UUID (RFC 9562, version 4), as
// "f81d4fae-7dec-41d0-a765-00a0c91e6bf6".
std::string RandomUuid(RandomSource& random);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_IDEMPOTENCY_KEY_H_
