// The part of a config that gRPC core gets, written anew: load balancing,
// health checking, message sizes, and top-level parts that retrykit does not
// know. Retries, throttling, timeouts and waitForReady never reach core, so
// that no call is retried or timed out by two layers.
//
// Thread-safety: pure functions.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_CORE_PART_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_CORE_PART_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "interceptors/config/json_value.h"
#include "proto/retrykit/v1/service_config.pb.h"

namespace retrykit {

// Top-level key to compact JSON. `passed_on`: the indexes in `root`, the whole
// file, of keys that retrykit does not know.
std::map<std::string, std::string> CoreParts(
    const v1::ServiceConfig& config, const JsonValue& root,
    const std::vector<std::size_t>& passed_on);

// The parts as one JSON object; "{}" where there is none.
std::string JoinCoreParts(const std::map<std::string, std::string>& parts);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_CORE_PART_H_
