#include "interceptors/telemetry/prometheus_endpoint.h"

#include <exception>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace retrykit {

absl::StatusOr<std::unique_ptr<PrometheusEndpoint>> PrometheusEndpoint::Start(
    const std::string& address,
    const std::shared_ptr<prometheus::Registry>& registry) {
  if (registry == nullptr) {
    return absl::InvalidArgumentError("the Prometheus registry is null");
  }
  try {
    auto endpoint = absl::WrapUnique(new PrometheusEndpoint(address));
    endpoint->exposer_.RegisterCollectable(registry);
    return endpoint;
  } catch (const std::exception& error) {
    return absl::UnavailableError(
        absl::StrCat("metrics cannot be served on ", address,
                     ": is the port in use? (", error.what(), ")"));
  }
}

int PrometheusEndpoint::port() const {
  return exposer_.GetListeningPorts().front();
}

}  // namespace retrykit
