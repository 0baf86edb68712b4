// A bar on a terminal that fills while something long is done.
//
// Thread-safety: none. Lifetime: the world must outlive it; the bar is wiped at
// its end.
#ifndef RETRYKIT_CLI_PROGRESS_BAR_H_
#define RETRYKIT_CLI_PROGRESS_BAR_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "cli/world.h"

namespace retrykit {
namespace cli {

class ProgressBar {
 public:
  explicit ProgressBar(World& world) : world_(world) {}
  ~ProgressBar() {
    if (shown_ >= 0) world_.Err("\r\033[K");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `share` in [0, 1]. Nothing where the errors are no terminal, and no more
  // than a hundred times.
  void Show(double share) {
    const int percent = static_cast<int>(share * 100);
    if (!world_.shows_progress() || percent == shown_) return;
    shown_ = percent;
    const auto filled = static_cast<std::string::size_type>(percent / 4);
    world_.Err(absl::StrCat("\r[", std::string(filled, '#'),
                            std::string(25 - filled, '.'), "] ", percent,
                            " %"));
  }

 private:
  World& world_;
  int shown_ = -1;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_PROGRESS_BAR_H_
