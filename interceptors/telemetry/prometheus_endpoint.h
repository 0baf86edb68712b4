// Serves a registry's metrics over HTTP, at /metrics, for Prometheus to read.
//
//   auto endpoint =
//       retrykit::PrometheusEndpoint::Start("127.0.0.1:9464", registry);
//   if (!endpoint.ok()) LogWarning(endpoint.status());  // And go on without.
//
// prometheus-cpp's Exposer, with an error where that throws.
//
// Thread-safety: all members may be called from any thread.
// Lifetime: serves until it is destroyed; does not keep the registry, without
// which the page is empty.
#ifndef RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_ENDPOINT_H_
#define RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_ENDPOINT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "prometheus/exposer.h"
#include "prometheus/registry.h"

namespace retrykit {

class PrometheusEndpoint {
 public:
  // `address`: "127.0.0.1:9464"; port 0 is any free one.
  // Errors: InvalidArgument for a null registry; Unavailable, with the address,
  // if nothing can listen on it: in use, or not an address of this machine.
  static absl::StatusOr<std::unique_ptr<PrometheusEndpoint>> Start(
      const std::string& address,
      const std::shared_ptr<prometheus::Registry>& registry);

  // The port it listens on.
  int port() const;

 private:
  explicit PrometheusEndpoint(const std::string& address)
      : exposer_(address, /*num_threads=*/1) {}

  prometheus::Exposer exposer_;
};

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_TELEMETRY_PROMETHEUS_ENDPOINT_H_
