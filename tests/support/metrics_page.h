// A page of metrics as Prometheus reads it: fetched over HTTP, and taken apart.
//
//   const MetricsPage page = MetricsPage::Get(endpoint->port());
//   EXPECT_EQ(page.Value("retrykit_config_reloads_total{result=\"ok\"}"), 1);
//   EXPECT_EQ(page.types().at("retrykit_calls_total"), "counter");
//
// Thread-safety: a plain value. Errors: a page that cannot be fetched is empty,
// and the test fails.
#ifndef TESTS_SUPPORT_METRICS_PAGE_H_
#define TESTS_SUPPORT_METRICS_PAGE_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace retrykit {

// The body of http://127.0.0.1:<port><path>; unset if there is none, or the
// status is not 200.
absl::optional<std::string> HttpGet(int port, absl::string_view path);

class MetricsPage {
 public:
  explicit MetricsPage(absl::string_view text);
  static MetricsPage Get(int port);

  // A sample's value: its name and labels, these sorted, as on the page. -1 if
  // it is not there.
  double Value(const std::string& sample) const;

  const std::map<std::string, double>& samples() const { return samples_; }
  // "counter", "gauge" or "histogram" by name.
  const std::map<std::string, std::string>& types() const { return types_; }

 private:
  std::map<std::string, double> samples_;
  std::map<std::string, std::string> types_;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_METRICS_PAGE_H_
