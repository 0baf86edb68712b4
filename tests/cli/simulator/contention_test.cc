// The article's experiment comes out as it does in the article.

#include "cli/simulator/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace retrykit {
namespace cli {
namespace {

std::map<std::string, ContentionRow> ByName(const ContentionOptions& options) {
  std::map<std::string, ContentionRow> rows;
  for (const ContentionRow& row : RunContention(options, nullptr))
    rows[row.name] = row;
  return rows;
}

TEST(ContentionTest, RatiosOfAHundredClients) {
  const auto rows = ByName({100, 100, 1});
  const ContentionRow& full = rows.at("FULL");
  EXPECT_NEAR(full.calls / rows.at("no backoff at all").calls, 0.33, 0.02);
  EXPECT_NEAR(rows.at("DECORRELATED").calls / full.calls, 1.25, 0.05);
  EXPECT_NEAR(rows.at("EQUAL").milliseconds / full.milliseconds, 1.39, 0.1);
}

TEST(ContentionTest, OrderOfCalls) {
  const auto rows = ByName({100, 100, 2});
  EXPECT_LE(rows.at("FULL").calls, rows.at("EQUAL").calls);
  EXPECT_LT(rows.at("EQUAL").calls, rows.at("DECORRELATED").calls);
  EXPECT_LT(rows.at("DECORRELATED").calls, rows.at("NONE").calls);
  EXPECT_LT(rows.at("NONE").calls, rows.at("no backoff at all").calls);
}

TEST(ContentionTest, ASingleClientNeverWaits) {
  for (const ContentionRow& row : RunContention({1, 1000, 1}, nullptr)) {
    EXPECT_EQ(row.calls, 1) << row.name;
    EXPECT_NEAR(row.milliseconds, 40, 0.5) << row.name;
  }
}

TEST(ContentionTest, TableAndJson) {
  const ContentionOptions options{10, 5, 1};
  const std::vector<ContentionRow> rows = {{"NONE", absl::nullopt, 30, 800},
                                           {"FULL", absl::nullopt, 20, 400}};
  EXPECT_EQ(ContentionTable(options, rows),
            "10 clients, one row, optimistic concurrency; mean of 5 runs\n"
            "jitter  calls    time  calls/FULL  time/FULL\n"
            "NONE     30.0  800 ms        1.50       2.00\n"
            "FULL     20.0  400 ms        1.00       1.00\n");
  EXPECT_THAT(ContentionJson(options, rows),
              testing::HasSubstr("\"clients\": 10"));
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
