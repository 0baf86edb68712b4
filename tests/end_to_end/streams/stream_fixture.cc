#include "tests/end_to_end/streams/stream_fixture.h"

namespace retrykit {

std::vector<StreamStyle> SendingStyles() {
  std::vector<StreamStyle> styles = StylesOf(StreamKind::kClient);
  for (const StreamStyle& style : StylesOf(StreamKind::kBidi)) {
    styles.push_back(style);
  }
  return styles;
}

}  // namespace retrykit
