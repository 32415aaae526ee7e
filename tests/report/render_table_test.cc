#include "services/report/render_table.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/report/block_builder.h"

namespace regressd::report {
namespace {

using model::Verdict;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RenderTableTest, LooksLikeLkpsTable) {
  BlockBuilder builder;
  builder.AddRow("vm-scalability.throughput", {100, 100, 100}, {122.3, 122.3, 122.3},
                 Verdict::kImprovement);
  builder.block().columns[1].commit.subject = "mm: swap: Batch";
  // Layout: lkp.md section 5 and the seed mail's table; here the subject stands behind the id.
  EXPECT_EQ(
      RenderTable(builder.block(), {.notes = false}),
      "=========================================================================================\n"
      "testcase/test:\n"
      "  vm-scalability/swap-w-seq\n"
      "\n"
      "commit: \n"
      "  1b2c3d4e5f60718293a4b5c6d7e8f9010a1b2c3d\n"
      "  9f8e7d6c5b4a39281706f5e4d3c2b1a091827364 (\"mm: swap: Batch\")\n"
      "\n"
      "1b2c3d4e5f607182 9f8e7d6c5b4a39281706f5e4d3c \n"
      "---------------- --------------------------- \n"
      "         %stddev     %change         %stddev\n"
      "             \\          |                \\  \n"
      "    100.00           +22.3%     122.30        vm-scalability.throughput\n"
      "\n");
}

TEST(RenderTableTest, HidesWhatDidNotChangeAndCountsIt) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {100, 101}, {80, 81}, Verdict::kRegression)
      .AddRow("vmstat.swap.si", {100, 101}, {100, 101})
      .AddRow("vmstat.cpu.us", {100, 101}, {100, 101})
      .AddRow("meminfo.x", {1}, {2}, Verdict::kInconclusive, "insufficient");
  const std::string table = RenderTable(builder.block(), {});
  EXPECT_THAT(table, Not(HasSubstr("vmstat.swap.si")));
  EXPECT_THAT(table,
              HasSubstr("\n1 regression: vmstat.swap.so\n"
                        "2 metrics unchanged, 1 inconclusive (insufficient): --all shows them\n"));
  EXPECT_THAT(RenderTable(builder.block(), {.all_metrics = true}), HasSubstr("vmstat.swap.si\n"));
}

TEST(RenderTableTest, AlwaysShowsTheTestcasesResults) {
  BlockBuilder builder;
  builder.AddRow("vm-scalability.throughput", {100, 101}, {100, 101})
      .AddRow("vm-scalability.time.system_time", {100, 101}, {100, 101});
  const std::string table = RenderTable(builder.block(), {});
  EXPECT_THAT(table, HasSubstr("  vm-scalability.throughput\n"));
  EXPECT_THAT(table, Not(HasSubstr("system_time")));
}

TEST(RenderTableTest, LeavesAMissingValueBlankAndSaysWhichSideHasIt) {
  BlockBuilder builder;
  builder.AddRow("proc-vmstat.a", {}, {5, 5}, Verdict::kChanged, "new_nonzero")
      .AddRow("proc-vmstat.b", {5, 5}, {}, Verdict::kChanged, "gone")
      .AddRow("proc-vmstat.c", {0, 0}, {5, 5}, Verdict::kChanged, "new_nonzero")
      .AddRow("proc-vmstat.d", {NAN, 5, 5}, {5, 5}, Verdict::kChanged);
  const std::string table = RenderTable(builder.block(), {});
  EXPECT_THAT(table, HasSubstr("\n                       new        5.00        proc-vmstat.a\n"));
  EXPECT_THAT(table, HasSubstr("\n      5.00            gone                    proc-vmstat.b\n"));
  EXPECT_THAT(table, HasSubstr("\n      0.00             new        5.00        proc-vmstat.c\n"));
  EXPECT_THAT(table, HasSubstr("\n      5.00            +0.0%       5.00        proc-vmstat.d\n"));
}

TEST(RenderTableTest, GivesTheTrueReproductionPerColumn) {
  BlockBuilder builder;
  builder.block().columns[0].runs.resize(4);
  builder.block().columns[1].runs.resize(10);
  builder.AddRow("dmesg.x", {0, 0, 0, 0}, {1, 1, 1, 1, 1, 0, 0, 0, 0, 0});
  // 5 of 10 runs against 0 of 4; LKP's slip would say 125% (golden case 10).
  EXPECT_THAT(RenderTable(builder.block(), {}),
              HasSubstr("       fail:runs  %reproduction    fail:runs\n"
                        "           |             |             |    \n"
                        "           :4           50%           5:10    dmesg.x\n"));
}

TEST(RenderTableTest, ACgroupsFailcntIsACountAndNoFailure) {
  BlockBuilder builder;
  builder.AddRow("cgroup.memory.failcnt", {100, 100}, {300, 300}, Verdict::kChanged);
  const std::string table = RenderTable(builder.block(), {});
  EXPECT_THAT(table, Not(HasSubstr("fail:runs")));
  EXPECT_THAT(table,
              HasSubstr("\n    100.00          +200.0%     300.00        cgroup.memory.failcnt\n"));
}

TEST(RenderTableTest, SaysWhichRunsWereLeftOut) {
  BlockBuilder builder;
  builder.block().columns[0].failed_run_count = 1;
  builder.block().columns[1].failed_run_count = 2;
  builder.block().columns[1].excluded_run_count = 1;
  EXPECT_THAT(RenderTable(builder.block(), {}),
              HasSubstr("1 run of 1b2c3d4e5f failed, not compared\n"
                        "2 runs of 9f8e7d6c5b failed, not compared\n"
                        "1 run of 9f8e7d6c5b excluded by hand, not compared\n"));
}

TEST(RenderTableTest, NamesAPatchByItsMail) {
  BlockBuilder builder;
  auto& commit = builder.block().columns[1].commit;
  commit.patch.emplace();
  commit.patch->message_id = "20160825.1@example.org";
  commit.patch->base_commit_id = "1b2c3d4e5f60718293a4b5c6d7e8f9010a1b2c3d";
  commit.patch->subject = "[PATCH] mm: swap";
  commit.commit_id = PatchCommitId(*commit.patch);
  const std::string table = RenderTable(builder.block(), {.short_ids = true});
  EXPECT_THAT(table,
              HasSubstr("\n  patch:20160825.1@example.org on 1b2c3d4e5f (\"[PATCH] mm: swap\")\n"));
  EXPECT_THAT(table, HasSubstr("\n      1b2c3d4e5f patch:20160825.1@example.or \n"));
}

TEST(RenderTableTest, ComparesAlongAnyAxis) {
  BlockBuilder builder;
  builder.block().compared_axes = {"nr_task"};
  builder.block().columns[0].compared_axes.Set("nr_task", "1");
  builder.block().columns[1].compared_axes.Set("nr_task", "100%");
  // Golden case 19-groups-other-axis has this header for its columns.
  EXPECT_THAT(RenderTable(builder.block(), {}),
              HasSubstr("nr_task: \n  1\n  100%\n\n"
                        "               1                        100% \n"));
}

TEST(RenderTableTest, NotesAreAsWideAsTheRule) {
  BlockBuilder builder;
  for (const char* name : {"proc-vmstat.allocstall_normal", "proc-vmstat.pgscan_direct",
                           "proc-vmstat.pgsteal_kswapd", "vmstat.swap.so"}) {
    builder.AddRow(name, {100, 101}, {80, 81}, Verdict::kRegression);
  }
  EXPECT_THAT(RenderTable(builder.block(), {}),
              HasSubstr("4 regressions: proc-vmstat.allocstall_normal, proc-vmstat.pgscan_direct,\n"
                        "  proc-vmstat.pgsteal_kswapd, vmstat.swap.so\n"));
}

TEST(RenderTableTest, AsciiKeepsTheColumns) {
  BlockBuilder builder;
  builder.AddRow("vm-scalability.throughput", {90, 110}, {90, 110});
  EXPECT_THAT(
      RenderTable(builder.block(), {.ascii = true}),
      HasSubstr("    100.00+- 10%      +0.0%     100.00+- 10%  vm-scalability.throughput\n"));
}

TEST(RenderTableTest, ColoursOnlyOnRequest) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {100, 100}, {80, 80}, Verdict::kRegression);
  EXPECT_THAT(RenderTable(builder.block(), {.color = true}),
              HasSubstr("\x1b[31m     -20.0% \x1b[0m"));
  EXPECT_THAT(RenderTable(builder.block(), {}), Not(HasSubstr("\x1b")));
}

TEST(RenderTableTest, LetsNoNameReachTheTerminalRaw) {
  BlockBuilder builder;
  builder.block().axes.Set("test", "\x1b]0;owned\x07");
  builder.block().columns[0].commit.commit_id = "v6\x1b[2J";
  builder.block().columns[1].commit.subject = "a\u202Eb\nc";
  builder.AddRow("vm-scalability.\x1b[31m\r", {1, 1}, {2, 2}, Verdict::kRegression, "\x1b");
  const std::string table = RenderTable(builder.block(), {});
  for (const char c : table) {
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << static_cast<int>(c);
  }
  EXPECT_THAT(table, Not(HasSubstr("\u202E")));
  EXPECT_THAT(table, HasSubstr("a\\u{202e}b\\x0ac"));
}

}  // namespace
}  // namespace regressd::report
