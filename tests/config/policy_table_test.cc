#include "interceptors/config/policy_table.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/config/parsing.h"

namespace retrykit {
namespace {

std::shared_ptr<const MethodPolicy> Named(const char* entry) {
  auto policy = std::make_shared<MethodPolicy>();
  policy->entry = entry;
  return policy;
}

// The entry that answers for `method`; "" for none.
std::string EntryOf(const PolicyTable& table, const char* method) {
  const auto policy = table.Find(method);
  return policy == nullptr ? "" : policy->entry;
}

TEST(PolicyTable, MethodBeatsServiceBeatsDefault) {
  const PolicyTable table({{{""}, Named("default")},
                           {{"/pkg.S/"}, Named("service")},
                           {{"/pkg.S/M"}, Named("method")}});
  EXPECT_EQ(EntryOf(table, "/pkg.S/M"), "method");
  EXPECT_EQ(EntryOf(table, "/pkg.S/N"), "service");
  EXPECT_EQ(EntryOf(table, "/pkg.T/M"), "default");
  EXPECT_EQ(EntryOf(table, "/pkg.S/"), "service");
  EXPECT_EQ(EntryOf(table, "no slash"), "default");
  EXPECT_EQ(EntryOf(table, ""), "default");
}

TEST(PolicyTable, WithoutDefaultOtherMethodsHaveNone) {
  const PolicyTable table({{{"/pkg.S/M"}, Named("method")}});
  EXPECT_EQ(EntryOf(table, "/pkg.S/M"), "method");
  EXPECT_EQ(table.Find("/pkg.S/N"), nullptr);
  EXPECT_EQ(table.Find("/pkg.S/"), nullptr);
}

TEST(PolicyTable, EmptyHasNothing) {
  EXPECT_EQ(PolicyTable().Find("/pkg.S/M"), nullptr);
  EXPECT_TRUE(PolicyTable().policies().empty());
}

TEST(PolicyTable, OneEntryAnswersForAllItsNames) {
  const PolicyTable table({{{"/a.S/M", "/b.S/"}, Named("both")}});
  EXPECT_EQ(table.Find("/a.S/M"), table.Find("/b.S/X"));
  EXPECT_EQ(table.policies().size(), 1u);
}

TEST(PolicyTable, PolicyOutlivesTheTable) {
  auto table = std::make_unique<PolicyTable>(
      std::vector<PolicyTable::Entry>{{{""}, Named("default")}});
  const auto policy = table->Find("/a/b");
  table.reset();
  EXPECT_EQ(policy->entry, "default");
}

TEST(PolicyTable, EntryNamesAreSortedAndJoined) {
  const auto config = Parsed(R"({"methodConfig":[
      {"name":[{"service":"z.S"},{},{"service":"a.S","method":"M"}]},
      {"name":[{"service":"b.S"}]}]})");
  ASSERT_EQ(config.table->policies().size(), 2u);
  EXPECT_EQ(config.table->policies()[0]->entry, "/a.S/M,/z.S/,default");
  EXPECT_EQ(config.table->policies()[1]->entry, "/b.S/");
}

TEST(PolicyTable, EntryWithoutPolicyShadowsTheDefault) {
  const auto config = Parsed(R"({"methodConfig":[
      {"name":[{}],"timeout":"1s"},
      {"name":[{"service":"S","method":"M"}]}]})");
  EXPECT_TRUE(config.table->Find("/S/N")->has_any());
  ASSERT_NE(config.table->Find("/S/M"), nullptr);
  EXPECT_FALSE(config.table->Find("/S/M")->has_any());
}

}  // namespace
}  // namespace retrykit
