#include "services/analysis/blocks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace regressd::analysis {
namespace {

using model::Axes;
using model::RunGroup;
using model::Verdict;

RunGroup Group(const std::string& commit, const std::vector<model::Axis>& axes, int run_count) {
  RunGroup group;
  group.axes = Axes(axes);
  group.commit.commit_id = commit;
  for (int i = 0; i < run_count; ++i) group.runs.push_back({.uuid = commit, .run_id = i + 1});
  return group;
}

void Add(RunGroup& group, const std::string& name, const std::vector<double>& values,
         model::Better better = model::Better::kNeither) {
  model::MetricValues metric;
  metric.metric.name = name;
  metric.metric.better = better;
  metric.values = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    metric.run_index.push_back(static_cast<std::int32_t>(i));
  }
  group.metrics.push_back(metric);
}

const std::vector<model::Axis> kSwap{{"testcase", "swap"}, {"nr_task", "8"}};
const std::vector<model::Axis> kFault{{"testcase", "fault"}};

TEST(BlocksTest, PutsGroupsOfTheSameAxesSideBySide) {
  RunGroup base = Group("aaa", kSwap, 3);
  RunGroup head = Group("bbb", {kSwap[1], kSwap[0]}, 3);  // Another print order, the same axes.
  Add(base, "swap.rate", {100, 101, 99}, model::Better::kHigher);
  Add(base, "vmstat.swap.so", {5, 6, 7});
  Add(head, "proc-vmstat.pswpout", {1, 2, 3});
  Add(head, "swap.rate", {90, 91, 89}, model::Better::kHigher);
  const auto blocks = BuildBlocks(std::vector<ColumnGroups>{{{base}}, {{head}}}, {});
  ASSERT_EQ(blocks.size(), 1U);
  const auto& block = blocks.front();
  EXPECT_EQ(block.compared_axes, std::vector<std::string>{"commit"});
  EXPECT_EQ(block.axes.list().front().key, "testcase");  // The base's print order.
  ASSERT_EQ(block.columns.size(), 2U);
  EXPECT_EQ(block.columns[1].commit.commit_id, "bbb");
  ASSERT_EQ(block.rows.size(), 3U);  // The union, in byte order.
  EXPECT_EQ(block.rows[0].metric.name, "proc-vmstat.pswpout");
  EXPECT_EQ(block.rows[1].metric.name, "swap.rate");
  EXPECT_EQ(block.rows[2].metric.name, "vmstat.swap.so");
  EXPECT_FALSE(block.rows[1].cells[0].judgement.has_value());
  EXPECT_EQ(block.rows[1].cells[1].judgement->verdict, Verdict::kRegression);
  EXPECT_EQ(block.rows[0].cells[1].judgement->reason, "missing");
  EXPECT_EQ(block.rows[2].cells[1].judgement->reason, "gone");
  EXPECT_EQ(block.rows[1].cells[1].values, (std::vector<double>{90, 91, 89}));
}

TEST(BlocksTest, LeavesOutColumnsAndBlocksThatLackRuns) {
  const std::vector<ColumnGroups> columns{
      {{Group("aaa", kSwap, 3), Group("aaa", kFault, 3)}},
      {{Group("bbb", kSwap, 0), Group("bbb", kFault, 3)}},  // All of bbb's swap runs failed.
      {{Group("ccc", kSwap, 3)}},
  };
  const auto blocks = BuildBlocks(columns, {});
  ASSERT_EQ(blocks.size(), 2U);  // By canonical text: nr_task=8... before testcase=fault.
  EXPECT_EQ(blocks[0].axes.Find("testcase"), "swap");
  ASSERT_EQ(blocks[0].columns.size(), 2U);
  EXPECT_EQ(blocks[0].columns[1].commit.commit_id, "ccc");
  ASSERT_EQ(blocks[1].columns.size(), 2U);
  EXPECT_EQ(blocks[1].columns[1].commit.commit_id, "bbb");
}

TEST(BlocksTest, ComparesAlongAnAxis) {
  const std::vector<ColumnGroups> columns{
      {{Group("aaa", {{"testcase", "swap"}, {"nr_task", "8"}}, 3)}},
      {{Group("aaa", {{"testcase", "swap"}, {"nr_task", "16"}}, 3)}},
  };
  EXPECT_TRUE(BuildBlocks(columns, {}).empty());
  const auto blocks = BuildBlocks(columns, {"nr_task"});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].compared_axes, std::vector<std::string>{"nr_task"});
  EXPECT_FALSE(blocks[0].axes.Find("nr_task").has_value());
  EXPECT_EQ(blocks[0].columns[1].compared_axes.Find("nr_task"), "16");
}

TEST(BlocksTest, NamesTheCommitBesideTheAxisWhenBothDiffer) {
  const std::vector<ColumnGroups> columns{
      {{Group("aaa", {{"testcase", "swap"}, {"thp", "always"}}, 3)}},
      {{Group("bbb", {{"testcase", "swap"}, {"thp", "never"}}, 3)}},
  };
  const auto blocks = BuildBlocks(columns, {"thp"});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].compared_axes, (std::vector<std::string>{"commit", "thp"}));
}

TEST(BlocksTest, JudgesEachColumnAgainstTheFirst) {
  RunGroup base = Group("aaa", kSwap, 3);
  RunGroup same = Group("bbb", kSwap, 3);
  RunGroup worse = Group("ccc", kSwap, 3);
  Add(base, "swap.rate", {100, 101, 99}, model::Better::kHigher);
  Add(same, "swap.rate", {100.1, 101.1, 98.9}, model::Better::kHigher);
  Add(worse, "swap.rate", {80, 81, 79}, model::Better::kHigher);
  const auto blocks = BuildBlocks(std::vector<ColumnGroups>{{{base}}, {{same}}, {{worse}}}, {});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].rows[0].cells[1].judgement->verdict, Verdict::kUnchanged);
  EXPECT_EQ(blocks[0].rows[0].cells[2].judgement->verdict, Verdict::kRegression);
}

TEST(BlocksTest, DoesNotCompareValuesOfDifferentUnits) {
  RunGroup base = Group("aaa", kSwap, 3);
  RunGroup head = Group("bbb", kSwap, 3);
  Add(base, "swap.rate", {100, 101, 99}, model::Better::kHigher);
  Add(head, "swap.rate", {1, 1.01, 0.99}, model::Better::kHigher);
  base.metrics[0].metric.unit = "pages/s";
  head.metrics[0].metric.unit = "MiB/s";
  const auto blocks = BuildBlocks(std::vector<ColumnGroups>{{{base}}, {{head}}}, {});
  const auto& judgement = *blocks.at(0).rows.at(0).cells.at(1).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::kInconclusive);
  EXPECT_EQ(judgement.reason, "declared_differently");
  EXPECT_EQ(judgement.head.run_count, 3);
}

TEST(BlocksTest, GivesNothingForFewerThanTwoColumns) {
  EXPECT_TRUE(BuildBlocks({}, {}).empty());
  EXPECT_TRUE(BuildBlocks(std::vector<ColumnGroups>{{{Group("aaa", kSwap, 3)}}}, {}).empty());
}

TEST(BlocksTest, ARunThatMetOomIsNoSlowRun) {
  RunGroup base = Group("aaa", kSwap, 3);
  RunGroup head = Group("bbb", kSwap, 3);
  Add(base, "swap.rate", {100, 101, 99}, model::Better::kHigher);
  Add(head, "swap.rate", {100, 20, 99}, model::Better::kHigher);
  Add(head, "dmesg.invoked_oom-killer:gfp_mask=0x", {});
  Add(head, "last_state.is_incomplete_run", {});
  // The second run of the head alone has them.
  for (std::size_t i = 1; i < head.metrics.size(); ++i) {
    head.metrics[i].values = {1};
    head.metrics[i].run_index = {1};
  }
  const auto blocks = BuildBlocks(std::vector<ColumnGroups>{{{base}}, {{head}}}, {});
  ASSERT_EQ(blocks.size(), 1U);
  const auto& rows = blocks.front().rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].metric.name, "dmesg.invoked_oom-killer:gfp_mask=0x");
  EXPECT_EQ(rows[0].cells[1].values, std::vector<double>{1});
  EXPECT_EQ(rows[2].metric.name, "swap.rate");
  EXPECT_EQ(rows[2].cells[1].values, (std::vector<double>{100, 99}));
  EXPECT_EQ(rows[2].cells[1].run_index, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(blocks.front().columns[1].runs.size(), 3U) << "it still counts among fail:runs";
}

TEST(BlocksTest, WhereEveryRunIsIncompleteOnlyFailuresAreLeft) {
  RunGroup base = Group("aaa", kSwap, 1);
  RunGroup head = Group("bbb", kSwap, 1);
  Add(base, "swap.rate", {100});
  Add(head, "swap.rate", {20});
  Add(head, "last_state.is_incomplete_run", {1});
  const auto blocks = BuildBlocks(std::vector<ColumnGroups>{{{base}}, {{head}}}, {});
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks.front().rows[1].cells[1].judgement->reason, "gone");
}

}  // namespace
}  // namespace regressd::analysis
