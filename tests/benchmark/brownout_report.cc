#include "tests/benchmark/brownout_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace retrykit {

namespace {

constexpr int kWidth = 900;
constexpr int kHeight = 200;
const char* const kColours[] = {"#888888", "#d62728", "#1f77b4"};

double Milliseconds(absl::Duration d) { return absl::ToDoubleMilliseconds(d); }

// A line through `values`, the panel's lower edge at `bottom`.
std::string Line(const std::vector<double>& values, double most, int bottom,
                 const char* colour) {
  std::string points;
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppendFormat(&points, "%.1f,%.1f ",
                          50 + static_cast<double>(i) * kWidth /
                                   static_cast<double>(values.size()),
                          bottom - kHeight * values[i] / most);
  }
  return absl::StrFormat(
      "<polyline fill='none' stroke='%s' stroke-width='1.5' points='%s'/>\n",
      colour, points);
}

std::vector<double> LoadOf(const BrownoutFigures& one) {
  std::vector<double> values;
  for (const int load : one.load) values.push_back(10.0 * load);
  return values;
}

std::vector<double> SuccessOf(const BrownoutFigures& one) {
  std::vector<double> values;
  for (size_t i = 0; i < one.sent.size(); ++i) {
    values.push_back(100.0 * one.succeeded[i] / std::max(one.sent[i], 1));
  }
  return values;
}

std::string Label(int x, int y, const std::string& text,
                  const char* colour = "black") {
  return absl::StrFormat("<text x='%d' y='%d' fill='%s'>%s</text>\n", x, y,
                         colour, text);
}

}  // namespace

std::string BrownoutTable(const std::vector<BrownoutFigures>& all) {
  std::string text =
      absl::StrFormat("%-14s%18s%12s%10s%14s%12s\n", "", "load in outage",
                      "x offered", "success", "goodput", "recovery");
  for (const BrownoutFigures& one : all) {
    absl::StrAppendFormat(&text, "%-14s%18d%12.2f%8.1f %%%12.1f/s%9.0f ms\n",
                          one.name, one.load_in_outage, one.amplification(),
                          100 * one.success, one.goodput,
                          Milliseconds(one.recovery));
  }
  return text;
}

std::string BrownoutJsonLines(const std::vector<BrownoutFigures>& all) {
  std::string text;
  for (const BrownoutFigures& one : all) {
    absl::StrAppendFormat(
        &text,
        "{\"variant\": \"%s\", \"offered_in_outage\": %d, "
        "\"load_in_outage\": %d, \"amplification\": %.3f, \"success\": %.4f, "
        "\"goodput\": %.1f, \"recovery_ms\": %.1f}\n",
        one.name, one.offered_in_outage, one.load_in_outage,
        one.amplification(), one.success, one.goodput,
        Milliseconds(one.recovery));
  }
  return text;
}

std::string BrownoutSvg(const std::vector<BrownoutFigures>& all,
                        const BrownoutPlan& plan) {
  double most = 1;
  for (const BrownoutFigures& one : all) {
    for (const double load : LoadOf(one)) most = std::max(most, load);
  }
  std::string svg =
      "<svg xmlns='http://www.w3.org/2000/svg' width='1000' height='540' "
      "font-family='sans-serif' font-size='13'>\n"
      "<rect width='1000' height='540' fill='white'/>\n";
  const double seconds_wide =
      kWidth / absl::ToDoubleSeconds(plan.before + plan.outage + plan.after);
  absl::StrAppendFormat(
      &svg, "<rect x='%.1f' y='30' width='%.1f' height='470' fill='#eee'/>\n",
      50 + absl::ToDoubleSeconds(plan.before) * seconds_wide,
      absl::ToDoubleSeconds(plan.outage) * seconds_wide);
  absl::StrAppend(
      &svg,
      Label(50, 20,
            "load on the server, attempts/s; top: " + absl::StrCat(most)),
      Label(50, 280, "success of calls sent then, %; top: 100"),
      Label(50, 520,
            "grey: the outage; whole width: " +
                absl::FormatDuration(plan.before + plan.outage + plan.after)));
  for (size_t i = 0; i < all.size(); ++i) {
    const char* const colour = kColours[i % 3];
    absl::StrAppend(
        &svg, Line(LoadOf(all[i]), most, 240, colour),
        Line(SuccessOf(all[i]), 100, 500, colour),
        Label(500 + static_cast<int>(i) * 130, 20, all[i].name, colour));
  }
  return svg + "</svg>\n";
}

std::vector<std::string> BrownoutMissed(
    const std::vector<BrownoutFigures>& all) {
  const BrownoutFigures &plain = all[0], &core = all[1], &ours = all[2];
  std::vector<std::string> missed;
  if (ours.amplification() > 1.1) missed.push_back("load over 1.1 x offered");
  if (ours.load_in_outage >= core.load_in_outage) {
    missed.push_back("load not below that of gRPC's own retries");
  }
  if (ours.goodput < std::max(plain.goodput, core.goodput)) {
    missed.push_back("goodput below the best of the others");
  }
  if (ours.recovery >
      std::min(plain.recovery, core.recovery) + 1.2 * kBrownoutOpenDuration) {
    missed.push_back("recovery takes longer than it may");
  }
  return missed;
}

}  // namespace retrykit
