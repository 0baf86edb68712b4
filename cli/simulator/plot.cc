#include "cli/simulator/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "cli/words.h"

namespace retrykit {
namespace cli {
namespace {

// Pixels.
constexpr double kWidth = 960;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 24;
constexpr double kPanel = 130;  // Its plot's height.
constexpr double kGap = 44;     // Between two plots; holds the title.
constexpr double kLegendRow = 20;

// Told apart by people with any colour vision (Okabe and Ito).
constexpr std::array<const char*, 7> kColours = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7",
    "#56B4E9", "#E69F00", "#000000"};

using Value = std::function<double(const Sample& sample)>;

struct Panel {
  std::string title;
  Value value;
  double most = 1;       // The axis ends there.
  bool percent = false;  // Of the axis' numbers.
};

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// The next of 1, 2, 5, 10, 20, ...
double RoundUp(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) return step * power;
  }
  return 10 * power;
}

double XOf(double share) { return kLeft + share * (kWidth - kLeft - kRight); }

std::string Text(double x, double y, const char* anchor, int size,
                 const std::string& text) {
  return absl::StrFormat(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s"
      "</text>\n",
      x, y, anchor, size, text);
}

std::string Line(double x1, double y1, double x2, double y2,
                 const char* colour) {
  return absl::StrFormat(
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
      "stroke=\"%s\"/>\n",
      x1, y1, x2, y2, colour);
}

std::string Curve(const Measurements& measured, const Panel& panel, double top,
                  const char* colour) {
  std::string points;
  const auto& samples = measured.samples();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double share = std::min(panel.value(samples[i]) / panel.most, 1.0);
    const double middle =
        (static_cast<double>(i) + 0.5) / Measurements::kSamples;
    absl::StrAppendFormat(&points, "%.1f,%.1f ", XOf(middle),
                          top + kPanel * (1 - share));
  }
  return absl::StrFormat(
      "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" "
      "points=\"%s\"/>\n",
      colour, points);
}

std::string Shades(const Scenario& scenario, double top) {
  std::string shades;
  for (const Phase& phase : scenario.phases) {
    const double from = XOf(absl::FDivDuration(phase.from, scenario.duration));
    const double to =
        XOf(std::min(1.0, absl::FDivDuration(phase.to, scenario.duration)));
    absl::StrAppendFormat(
        &shades,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
        "fill=\"#f0e0e0\"/>\n",
        from, top, to - from, kPanel);
  }
  return shades;
}

std::string Axes(const Scenario& scenario, const Panel& panel, double top) {
  std::string axes = Text(kLeft, top - 8, "start", 13, panel.title);
  for (int i = 0; i <= 4; ++i) {
    const double y = top + kPanel * (1 - i / 4.0);
    const double value = panel.most * i / 4;
    axes += Line(kLeft, y, kWidth - kRight, y, i == 0 ? "#444" : "#ddd");
    axes += Text(kLeft - 6, y + 4, "end", 11,
                 panel.percent ? absl::StrFormat("%.0f %%", value * 100)
                               : absl::StrCat(value));
  }
  for (int i = 0; i <= 6; ++i) {
    axes += Text(XOf(i / 6.0), top + kPanel + 14, "middle", 11,
                 DurationWords(scenario.duration * i / 6));
  }
  return axes;
}

// The axis ends at a round number above every value of every run.
void FitAxis(const std::vector<NamedRun>& runs, Panel& panel) {
  double most = 0;
  for (const NamedRun& run : runs) {
    for (const Sample& sample : run.measured.samples())
      most = std::max(most, panel.value(sample));
  }
  panel.most = RoundUp(most);
}

std::vector<Panel> PanelsOf(const std::vector<NamedRun>& runs) {
  const double width =
      runs.empty() ? 1 : absl::ToDoubleSeconds(runs[0].measured.width());
  std::vector<Panel> panels = {
      {"Load on the server (attempts per second; dashed: calls)",
       [width](const Sample& sample) {
         return static_cast<double>(sample.attempts) / width;
       },
       1, false},
      {"Successful calls per second",
       [width](const Sample& sample) {
         return static_cast<double>(sample.succeeded) / width;
       },
       1, false},
      {"Retry budget (tokens left, mean of the clients)",
       [](const Sample& sample) { return sample.budget; }, 1, true},
      {"Circuit breakers that are not closed",
       [](const Sample& sample) { return sample.breaker; }, 1, true}};
  FitAxis(runs, panels[0]);
  FitAxis(runs, panels[1]);
  return panels;
}

// The calls that are offered are the same for every run of an open loop.
std::string OfferedCurve(const std::vector<NamedRun>& runs, const Panel& load,
                         double top) {
  if (runs.empty()) return "";
  Panel offered = load;
  const double width = absl::ToDoubleSeconds(runs[0].measured.width());
  offered.value = [width](const Sample& sample) {
    return static_cast<double>(sample.offered) / width;
  };
  std::string curve = Curve(runs[0].measured, offered, top, "#888");
  return absl::StrReplaceAll(
      curve, {{"stroke-width=\"1.5\"", "stroke-dasharray=\"4 3\""}});
}

std::string Legend(const std::vector<NamedRun>& runs) {
  std::string legend;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double y = kTop + kLegendRow * static_cast<double>(i);
    absl::StrAppendFormat(
        &legend,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"4\" "
        "fill=\"%s\"/>\n",
        kLeft, y - 6, kColours[i % kColours.size()]);
    legend += Text(kLeft + 26, y, "start", 13, Escaped(runs[i].name));
  }
  return legend;
}

}  // namespace

std::string PlotSvg(const Scenario& scenario,
                    const std::vector<NamedRun>& runs) {
  const std::vector<Panel> panels = PanelsOf(runs);
  const double start = kTop + kLegendRow * static_cast<double>(runs.size());
  const double height =
      start + (kPanel + kGap) * static_cast<double>(panels.size());
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, height, kWidth, height);
  svg += Legend(runs);
  double top = start + kGap / 2;
  for (const Panel& panel : panels) {
    svg += Shades(scenario, top);
    svg += Axes(scenario, panel, top);
    if (&panel == &panels.front()) svg += OfferedCurve(runs, panel, top);
    for (std::size_t i = 0; i < runs.size(); ++i)
      svg += Curve(runs[i].measured, panel, top, kColours[i % kColours.size()]);
    top += kPanel + kGap;
  }
  return svg + "</svg>\n";
}

}  // namespace cli
}  // namespace retrykit
