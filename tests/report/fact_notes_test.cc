#include "services/report/fact_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/report/render_table.h"
#include "tests/report/block_builder.h"

namespace regressd::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

model::MachineFacts Machine() {
  model::MachineFacts facts;
  facts.testbox = "box-1";
  facts.boot_id = "a";
  facts.kernel_release = "6.12.0";
  facts.kernel_cmdline = "BOOT_IMAGE=/vmlinuz-6.12.0 root=/dev/vda quiet";
  facts.cpu_model = "EPYC";
  facts.cpu_count = 2;
  facts.memory_size_bytes = std::int64_t{8} << 30;
  facts.swap_devices = {"/dev/zram0 partition 1 KiB priority 5"};
  facts.settings = {{"swappiness", "60"}, {"loadavg_at_start", "0.1"}, {"kernel_config_hash", "x"}};
  facts.tool_versions = {{"perf", "6.1"}};
  return facts;
}

TEST(FactNotesTest, NamesEachFactThatDiffersWithBothValues) {
  const model::MachineFacts base = Machine();
  model::MachineFacts head = base;
  head.settings["swappiness"] = "100";
  head.settings["zswap_enabled"] = "Y";
  head.tool_versions["perf"] = "6.18";
  head.microcode = "0x2";
  head.swap_devices.clear();
  head.memory_size_bytes = std::int64_t{4} << 30;
  EXPECT_THAT(
      DifferingFacts(base, head, true),
      ElementsAre("microcode (none) -> 0x2", "perf version 6.1 -> 6.18",
                  "swap /dev/zram0 partition 1 KiB priority 5 -> (none)", "swappiness 60 -> 100",
                  "zswap_enabled (none) -> Y", "memory 8192 -> 4096 MiB"));
}

TEST(FactNotesTest, WhatMustDifferIsNoDifference) {
  const model::MachineFacts base = Machine();
  model::MachineFacts head = base;
  head.boot_id = "b";
  head.kernel_release = "6.13.0";
  head.kernel_version = "#2";
  head.kernel_cmdline = "BOOT_IMAGE=/vmlinuz-6.13.0 root=/dev/vda quiet";
  head.settings["loadavg_at_start"] = "3.0";
  head.settings["kernel_config_hash"] = "y";
  head.memory_size_bytes -= 20 << 20;  // The other kernel is larger.
  EXPECT_THAT(DifferingFacts(base, head, true), IsEmpty());
  // With one commit on both sides, another kernel is a difference.
  EXPECT_THAT(DifferingFacts(base, head, false),
              ElementsAre("kernel 6.12.0 -> 6.13.0", "kernel_config_hash x -> y"));
}

TEST(FactNotesTest, ASideThatKnowsNothingOfItsMachineDiffersInNothing) {
  EXPECT_THAT(DifferingFacts(Machine(), {}, false), IsEmpty());
}

TEST(FactNotesTest, ValuesCannotDisturbTheTable) {
  model::MachineFacts head = Machine();
  head.settings["swappiness"] = "\x1b[31m\n" + std::string(500, 'x');
  const std::vector<std::string> differing = DifferingFacts(Machine(), head, true);
  ASSERT_EQ(differing.size(), 1u);
  EXPECT_THAT(differing[0], HasSubstr("\\x1b"));
  EXPECT_LT(differing[0].size(), 150u);
}

TEST(FactNotesTest, StandsAboveTheTableButNotInLkpsOwn) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {100, 101}, {80, 81}, model::Verdict::kRegression);
  builder.block().columns[0].facts = Machine();
  builder.block().columns[1].facts = Machine();
  EXPECT_THAT(RenderTable(builder.block(), {}), Not(HasSubstr("facts that differ")));
  builder.block().columns[1].facts.settings["swappiness"] = "100";
  const std::string table = RenderTable(builder.block(), {});
  EXPECT_THAT(table, HasSubstr("\nfacts that differ: swappiness 60 -> 100\n\n"));
  EXPECT_LT(table.find("facts that differ"), table.find("----------------"));
  EXPECT_THAT(RenderTable(builder.block(), {.lkp_exact = true}), Not(HasSubstr("facts")));
}

TEST(FactNotesTest, ARunThatMetOomIsNamedUnderTheTable) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {100, 101}, {80, 81}, model::Verdict::kRegression);
  builder.AddRow("last_state.OOM", {}, {1});
  builder.AddRow("last_state.is_incomplete_run", {}, {1});
  const std::string table = RenderTable(builder.block(), {});
  EXPECT_THAT(table, HasSubstr("last_state.OOM\n"));
  EXPECT_THAT(table, HasSubstr("fail:runs"));
  EXPECT_THAT(table, HasSubstr("1 run of 9f8e7d6c5b met an out-of-memory kill or an oops"));
}

model::Column Ran(std::vector<std::string> command, std::string job) {
  model::Column column;
  column.command = std::move(command);
  column.job_toml = std::move(job);
  return column;
}

TEST(SetupNotesTest, ACommandAndJobSettingsThatDifferAreNamedWithBothValues) {
  const model::Column base =
      Ran({"./w", "70"},
          "commit = \"v1\"\nruns = 5\ncommand = [\"./w\", \"70\"]\ninterval_ms = 1000\n"
          "\n[params]\nnr_task = \"8\"\n\n[setup]\nmemcg = \"1G\"\n");
  const model::Column head =
      Ran({"./w", "100 MiB"},
          "commit = \"v2\"\nruns = 9\ncommand = [\"./w\", \"100\"]\ninterval_ms = 500\n"
          "\n[params]\nnr_task = \"16\"\n\n[setup]\nmemcg = \"1G\"\nswap = \"zram:1G\"\n");
  EXPECT_THAT(DifferingSetup(base, head),
              ElementsAre("command ./w 70 -> ./w '100 MiB'", "job interval_ms 1000 -> 500",
                          "job setup.swap (none) -> \"zram:1G\""));
  EXPECT_THAT(DifferingSetup(base, base), IsEmpty());
}

TEST(SetupNotesTest, WhatOneSideDoesNotKnowIsNoDifference) {
  EXPECT_THAT(DifferingSetup(Ran({}, ""), Ran({"./w"}, "timeout_s = 1.0\n")), IsEmpty());
}

TEST(SetupNotesTest, LongCommandsShowThePlaceWhereTheyDiffer) {
  const std::string same(300, 'x');
  const auto differing = DifferingSetup(Ran({"./w", same + "1"}, ""), Ran({"./w", same + "2"}, ""));
  ASSERT_EQ(differing.size(), 1u);
  EXPECT_THAT(differing[0], ::testing::MatchesRegex("command \\.\\.\\.x+1 -> \\.\\.\\.x+2"));
  EXPECT_LT(differing[0].size(), 100u);
}

TEST(FactNotesTest, SaysBeforeWhichRunsTheMachineWasBusy) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {100, 101}, {80, 81}, model::Verdict::kRegression);
  builder.block().columns[0].busy_starts = {{"0a1b2c3d-0000-4000-8000-000000000001", 6.2, 8},
                                            {"1a1b2c3d-0000-4000-8000-000000000001", 4.01, 8}};
  builder.block().columns[1].busy_starts = {{"2a1b2c3d-0000-4000-8000-000000000001", 1.5, 1}};
  builder.block().columns[1].setup_differences = {"command ./a -> ./b"};
  EXPECT_THAT(
      FactNoteLines(builder.block()),
      ElementsAre("facts that differ: command ./a -> ./b",
                  "machine busy before the start: run 0a1b2c3d of the base, load 6.20 on 8 "
                  "CPUs; run 1a1b2c3d of the base, load 4.01 on 8 CPUs; run 2a1b2c3d of the "
                  "head, load 1.50 on 1 CPU"));
  EXPECT_THAT(RenderTable(builder.block(), {}), HasSubstr("machine busy before the start"));
}

TEST(TableNotesTest, NameWhatCouldNotBeRead) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {100, 101}, {80, 81}, model::Verdict::kRegression);
  builder.block().columns[1].left_out = {{"run 0a1b", "column start_time is infinity"}};
  EXPECT_THAT(RenderTable(builder.block(), {}),
              HasSubstr("run 0a1b of 9f8e7d6c5b cannot be read, not compared: column start_time is "
                        "infinity\n"));
}

}  // namespace
}  // namespace regressd::report
