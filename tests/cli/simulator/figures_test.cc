#include "cli/simulator/figures.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/simulator/plot.h"

namespace retrykit {
namespace cli {
namespace {

// Ten seconds; the server is away from 2 s to 4 s.
Scenario WithOutage() {
  Scenario scenario;
  scenario.duration = absl::Seconds(10);
  Phase phase;
  phase.from = absl::Seconds(2);
  phase.to = absl::Seconds(4);
  scenario.phases = {phase};
  return scenario;
}

// A call every 10 ms, from 2 s to `well_again` failed after two attempts.
Measurements Measured(absl::Duration well_again) {
  Measurements measured(absl::Seconds(10));
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration at = absl::Milliseconds(10) * i;
    const bool bad = at >= absl::Seconds(2) && at < well_again;
    measured.CallBegan(at);
    for (int attempt = 0; attempt < (bad ? 2 : 1); ++attempt)
      measured.AttemptArrived(at);
    measured.CallEnded(!bad, absl::Milliseconds(i % 100), at);
  }
  return measured;
}

TEST(FiguresTest, AreThoseOfTheTimes) {
  const Figures figures =
      FiguresOf(WithOutage(), Measured(absl::Milliseconds(4500)));
  EXPECT_EQ(figures.offered, 1000);
  EXPECT_EQ(figures.attempts, 1250);
  EXPECT_DOUBLE_EQ(figures.amplification, 1.25);
  EXPECT_DOUBLE_EQ(figures.success_share, 0.75);
  EXPECT_DOUBLE_EQ(*figures.trouble_amplification, 2);
  EXPECT_DOUBLE_EQ(*figures.trouble_goodput, 0);
  EXPECT_NEAR(*figures.after_goodput, 550 / 6.0, 1e-9);
  EXPECT_EQ(*figures.recovery, absl::Milliseconds(500));
  EXPECT_NEAR(absl::ToDoubleMilliseconds(figures.p50), 53, 1);
}

TEST(FiguresTest, RecoveryMayBeAtOnceOrNever) {
  EXPECT_EQ(*FiguresOf(WithOutage(), Measured(absl::Seconds(4))).recovery,
            absl::ZeroDuration());
  EXPECT_EQ(*FiguresOf(WithOutage(), Measured(absl::Seconds(10))).recovery,
            absl::InfiniteDuration());
}

TEST(FiguresTest, NoTroubleNoFiguresOfIt) {
  Scenario scenario = WithOutage();
  scenario.phases.clear();
  const Figures figures = FiguresOf(scenario, Measured(absl::Seconds(4)));
  EXPECT_FALSE(figures.trouble_goodput);
  EXPECT_FALSE(figures.recovery);
  scenario = WithOutage();
  scenario.phases[0].to = absl::Seconds(10);
  EXPECT_FALSE(FiguresOf(scenario, Measured(absl::Seconds(4))).recovery);
}

TEST(FiguresTest, Table) {
  EXPECT_EQ(
      FiguresTable(WithOutage(),
                   {{"a.json", Measured(absl::Milliseconds(4500))},
                    {"longer.json", Measured(absl::Seconds(10))}}),
      R"(                              attempts      in           goodput/s  goodput/s  time to
policy       calls  attempts  per call  outage  success  in outage   after it  recover   p50   p99
a.json        1000      1250      1.25    2.00   75.0 %        0.0       91.7    500ms  53ms  98ms
longer.json   1000      1800      1.80    2.00   20.0 %        0.0        0.0    never  49ms  98ms
)");
}

TEST(FiguresTest, Json) {
  const auto json = nlohmann::json::parse(
      FiguresJson(WithOutage(), {{"a.json", Measured(absl::Seconds(10))}}),
      nullptr, false);
  ASSERT_EQ(json["runs"].size(), 1u);
  const auto& run = json["runs"][0];
  EXPECT_EQ(run["name"], "a.json");
  EXPECT_EQ(run["attempts"], 1800);
  EXPECT_EQ(run["recovers"], false);
  EXPECT_TRUE(run["seconds_to_recover"].is_null());
  EXPECT_EQ(run["series"]["attempts"].size(), 200u);
  EXPECT_EQ(run["series"]["succeeded"][100], 0);
}

TEST(PlotTest, HasACurveForEachRunInEachPanel) {
  const std::string svg =
      PlotSvg(WithOutage(), {{"a<b>.json", Measured(absl::Seconds(4))},
                             {"c.json", Measured(absl::Seconds(5))}});
  size_t curves = 0;
  for (size_t at = svg.find("<polyline"); at != std::string::npos;
       at = svg.find("<polyline", at + 1))
    ++curves;
  EXPECT_EQ(curves, 4 * 2 + 1u);
  EXPECT_EQ(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0u);
  EXPECT_NE(svg.find(">a&lt;b&gt;.json<"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
