#include "services/parse/vmstat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regressd::parse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGroups =
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n";
constexpr const char* kNames =
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";

TEST(VmstatTest, NamesMetricsAsLkpDoes) {
  // lkp-tests programs/vmstat: group.column.
  const VmstatText text =
      ParseVmstat(std::string(kGroups) + kNames + " 1  0 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
  std::vector<std::string> metrics;
  for (const VmstatColumn& column : text.layouts.at(0).columns) metrics.push_back(column.metric);
  EXPECT_THAT(metrics,
              ElementsAre("vmstat.procs.r", "vmstat.procs.b", "vmstat.memory.swpd",
                          "vmstat.memory.free", "vmstat.memory.buff", "vmstat.memory.cache",
                          "vmstat.swap.si", "vmstat.swap.so", "vmstat.io.bi", "vmstat.io.bo",
                          "vmstat.system.in", "vmstat.system.cs", "vmstat.cpu.us", "vmstat.cpu.sy",
                          "vmstat.cpu.id", "vmstat.cpu.wa", "vmstat.cpu.st"));
}

TEST(VmstatTest, HasNoSinceBootRowWhenVmstatRanWithY) {
  const VmstatText text = ParseVmstat(" r  b   swpd\n 1  0 5\n", {.has_since_boot_row = false});
  ASSERT_EQ(text.samples.size(), 1U);
  EXPECT_FALSE(text.samples[0].since_boot);
}

TEST(VmstatTest, ARefusedFirstRowStillWasTheOneSinceBoot) {
  const VmstatText text = ParseVmstat(" r  b\n 1  0 7\n 2  0\n");
  ASSERT_EQ(text.samples.size(), 1U);
  EXPECT_FALSE(text.samples[0].since_boot);
}

TEST(VmstatTest, StartsANewLayoutWhenTheColumnsChange) {
  // Two recordings joined: the second has other columns, so its values must not land under the
  // first's.
  const VmstatText text =
      ParseVmstat(" r  b buff cache\n 1 0 10 20\n r  b inact active\n 1 0 30 40\n");
  ASSERT_EQ(text.layouts.size(), 2U);
  ASSERT_EQ(text.samples.size(), 2U);
  EXPECT_EQ(text.samples[1].layout, 1);
  EXPECT_EQ(text.layouts[1].columns[2].metric, "vmstat.memory.inact");
  EXPECT_THAT(text.samples[1].values, ElementsAre(1, 0, 30, 40));
}

TEST(VmstatTest, TakesANumericZoneAtItsWord) {
  const VmstatText text = ParseVmstat(" r  b +0530\n 1  0 2026-11-30 23:00:59\n");
  EXPECT_TRUE(text.problems.empty());
  ASSERT_EQ(text.samples.size(), 1U);
  // date -u -d '2026-11-30T23:00:59+05:30' +%s
  EXPECT_EQ(text.samples[0].time, model::Time(std::chrono::seconds(1796059859)));
}

TEST(VmstatTest, RefusesARowWhoseTimeIsNone) {
  const VmstatText text = ParseVmstat(" r  b UTC\n 1  0 2026-13-30 23:00:59\n");
  EXPECT_TRUE(text.samples.empty());
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_EQ(text.problems[0].line, 2);
  EXPECT_EQ(text.problems[0].code, "bad_timestamp");
}

TEST(VmstatTest, RefusesARowBeforeAnyHeader) {
  const VmstatText text = ParseVmstat("1 0 2 3\n");
  EXPECT_TRUE(text.samples.empty());
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_EQ(text.problems[0].code, "missing_header");
}

TEST(VmstatTest, RefusesAFieldThatIsNoNumberAndKeepsTheOtherRows) {
  const VmstatText text = ParseVmstat(" r  b swpd\n 1  0 7k\n 2  0 8\n");
  ASSERT_EQ(text.samples.size(), 1U);
  EXPECT_EQ(text.samples[0].line, 3);
  EXPECT_THAT(text.problems.at(0).message, HasSubstr("line 2: column swpd holds \"7k\""));
}

TEST(VmstatTest, RefusesARowWithANumberBelowZeroAndKeepsTheOthers) {
  const VmstatText text = ParseVmstat(" r  b swpd\n 1  0 -7\n 2  0 8\n");
  ASSERT_EQ(text.samples.size(), 1U);
  EXPECT_EQ(text.samples[0].line, 3);
  EXPECT_THAT(text.problems.at(0).message, HasSubstr("line 2: column swpd holds \"-7\""));
}

TEST(VmstatTest, KeepsAColumnThatItDoesNotKnow) {
  const VmstatText text = ParseVmstat(" r  b zz\n 1  0 7\n");
  EXPECT_EQ(text.layouts.at(0).columns[2].metric, "vmstat.other.zz");
  EXPECT_EQ(text.problems.at(0).severity, Severity::kWarning);
}

TEST(VmstatTest, RefusesDiskMode) {
  const VmstatText text = ParseVmstat(
      "disk- ------------reads------------ ------------writes----------- -----IO------\n");
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_EQ(text.problems[0].code, "unsupported_mode");
  EXPECT_THAT(text.problems[0].message, HasSubstr("-d"));
}

TEST(VmstatTest, SaysThatATextIsNoVmstatOutput) {
  EXPECT_EQ(ParseVmstat("").problems.at(0).code, "missing_header");
}

TEST(VmstatTest, KnowsTheUnitsOfTheManualPage) {
  // vmstat(8), -S: 1000 (k), 1024 (K), 1000000 (m), or 1048576 (M) bytes.
  EXPECT_EQ(UnitBytes("k"), 1000);
  EXPECT_EQ(UnitBytes("K"), 1024);
  EXPECT_EQ(UnitBytes("m"), 1000000);
  EXPECT_EQ(UnitBytes("M"), 1048576);
  EXPECT_EQ(UnitBytes("G"), std::nullopt);
}

}  // namespace
}  // namespace regressd::parse
