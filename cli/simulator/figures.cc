#include "cli/simulator/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/text_table.h"
#include "cli/words.h"

namespace retrykit {
namespace cli {
namespace {

// A sample is well again when so many of its calls succeed.
constexpr double kWell = 0.95;

int SampleAt(const Scenario& scenario, absl::Duration at, bool round_up) {
  const double share = absl::FDivDuration(at, scenario.duration);
  const double place = share * Measurements::kSamples;
  const double whole = round_up ? std::ceil(place - 1e-9) : std::floor(place);
  return static_cast<int>(std::min<double>(whole, Measurements::kSamples));
}

Sample Sum(const Measurements& measured, int first, int behind) {
  Sample sum;
  for (int i = first; i < behind; ++i) {
    const Sample& sample = measured.samples()[static_cast<std::size_t>(i)];
    sum.offered += sample.offered;
    sum.attempts += sample.attempts;
    sum.ended += sample.ended;
    sum.succeeded += sample.succeeded;
  }
  return sum;
}

double Over(int64_t a, int64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

double PerSecond(int64_t count, absl::Duration time) {
  return static_cast<double>(count) / absl::ToDoubleSeconds(time);
}

absl::Duration RecoveryOf(const Measurements& measured, int behind) {
  int well_from = Measurements::kSamples;
  while (well_from > behind) {
    const Sample& before =
        measured.samples()[static_cast<std::size_t>(well_from) - 1];
    if (static_cast<double>(before.succeeded) <
        kWell * static_cast<double>(before.ended))
      break;
    --well_from;
  }
  return well_from == Measurements::kSamples
             ? absl::InfiniteDuration()
             : measured.width() * (well_from - behind);
}

std::string OrDash(const absl::optional<double>& number, int decimals) {
  return number ? absl::StrFormat("%.*f", decimals, *number) : "-";
}

std::string RecoveryText(const absl::optional<absl::Duration>& recovery) {
  if (!recovery) return "-";
  return *recovery == absl::InfiniteDuration() ? "never"
                                               : DurationWords(*recovery);
}

}  // namespace

absl::optional<Trouble> TroubleOf(const Scenario& scenario) {
  if (scenario.phases.empty()) return absl::nullopt;
  absl::Duration end;
  for (const Phase& phase : scenario.phases) end = std::max(end, phase.to);
  return Trouble{SampleAt(scenario, scenario.phases.front().from, false),
                 SampleAt(scenario, end, true)};
}

Figures FiguresOf(const Scenario& scenario, const Measurements& measured) {
  Figures figures;
  figures.offered = measured.offered();
  figures.attempts = measured.attempts();
  figures.amplification = Over(figures.attempts, figures.offered);
  figures.success_share = Over(measured.succeeded(), figures.offered);
  figures.p50 = measured.Percentile(0.5);
  figures.p99 = measured.Percentile(0.99);
  const auto trouble = TroubleOf(scenario);
  if (!trouble) return figures;
  const Sample during = Sum(measured, trouble->first, trouble->behind);
  figures.trouble_amplification = Over(during.attempts, during.offered);
  figures.trouble_goodput = PerSecond(
      during.succeeded, measured.width() * (trouble->behind - trouble->first));
  const int left = Measurements::kSamples - trouble->behind;
  if (left == 0) return figures;
  const Sample after = Sum(measured, trouble->behind, Measurements::kSamples);
  figures.after_goodput = PerSecond(after.succeeded, measured.width() * left);
  figures.recovery = RecoveryOf(measured, trouble->behind);
  return figures;
}

std::string FiguresTable(const Scenario& scenario,
                         const std::vector<NamedRun>& runs) {
  std::vector<std::vector<std::string>> rows = {
      {"", "", "", "attempts", "in", "", "goodput/s", "goodput/s", "time to",
       "", ""},
      {"policy", "calls", "attempts", "per call", "outage", "success",
       "in outage", "after it", "recover", "p50", "p99"}};
  for (const NamedRun& run : runs) {
    const Figures figures = FiguresOf(scenario, run.measured);
    rows.push_back(
        {run.name, absl::StrCat(figures.offered),
         absl::StrCat(figures.attempts), OrDash(figures.amplification, 2),
         OrDash(figures.trouble_amplification, 2),
         PercentWords(figures.success_share),
         OrDash(figures.trouble_goodput, 1), OrDash(figures.after_goodput, 1),
         RecoveryText(figures.recovery), DurationWords(figures.p50),
         DurationWords(figures.p99)});
  }
  return TextTable(rows);
}

}  // namespace cli
}  // namespace retrykit
