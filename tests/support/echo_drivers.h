// The five ways of echo_call.h to make a unary call.
#ifndef TESTS_SUPPORT_ECHO_DRIVERS_H_
#define TESTS_SUPPORT_ECHO_DRIVERS_H_

#include <memory>

#include "tests/support/echo_call.h"

namespace retrykit {

std::unique_ptr<EchoDriver> NewEchoDriver(CallStyle style);

}  // namespace retrykit

#endif  // TESTS_SUPPORT_ECHO_DRIVERS_H_
