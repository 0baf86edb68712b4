#include "cli/json_output.h"

#include <cmath>

namespace retrykit {
namespace cli {

std::string JsonText(const OrderedJson& json) {
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   OrderedJson::error_handler_t::replace) +
         "\n";
}

OrderedJson JsonSeconds(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return nullptr;
  return std::round(absl::ToDoubleSeconds(duration) * 1e6) / 1e6;
}

}  // namespace cli
}  // namespace retrykit
