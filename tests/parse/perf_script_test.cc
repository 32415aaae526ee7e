#include "services/parse/perf_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/parse/folded.h"

namespace regressd::parse {
namespace {

TEST(PerfScriptTest, TakesACommThatLooksLikeAnAddressAsAComm) {
  // dd, without callchains: its name is a hexadecimal number and the line is indented.
  const PerfScriptText text = ParsePerfScript(
      "              dd 18807   968.587858:          1 page-faults:  ffffffff81775b9a "
      "elf_load+0x28a "
      "([kernel.kallsyms])\n"
      "              dd 18807   968.587859:          1 page-faults:  ffffffff81775b9b elf_map+0x2 "
      "([kernel.kallsyms])\n");
  ASSERT_EQ(text.samples.size(), 2U);
  EXPECT_EQ(Fold(text.samples[0]), "dd;elf_load");
  EXPECT_EQ(Fold(text.samples[1]), "dd;elf_map");
}

TEST(PerfScriptTest, NamesATaskWithoutCommByItsTid) {
  const PerfScriptText text =
      ParsePerfScript("4021 12345.678901:   10 cycles: \n\tffff x ([kernel.kallsyms])\n");
  ASSERT_EQ(text.samples.size(), 1U);
  EXPECT_EQ(Fold(text.samples[0]), ":4021;x");
}

TEST(PerfScriptTest, KeepsOneLetterComms) {
  const PerfScriptText text =
      ParsePerfScript("a 4021 12345.678901:   10 cycles: \n\tffff x ([kernel.kallsyms])\n");
  EXPECT_EQ(text.samples.at(0).comm, "a");
}

TEST(PerfScriptTest, ReadsNanoseconds) {
  const PerfScriptText text = ParsePerfScript("a 1 12.000000007: 10 cycles:\n\n");
  EXPECT_EQ(text.samples.at(0).time, std::chrono::nanoseconds(12'000'000'007));
}

TEST(PerfScriptTest, PutsAnInlinedFrameIntoTheFileOfTheNextRealOne) {
  const PerfScriptText text =
      ParsePerfScript("a 1 12.000000: 10 cycles:\n\t10 in (inlined)\n\t10 out+0x1 (/usr/bin/a)\n");
  ASSERT_EQ(text.samples.size(), 1U);
  EXPECT_TRUE(text.samples[0].frames[0].inlined);
  EXPECT_EQ(text.samples[0].frames[0].dso, "/usr/bin/a");
}

TEST(PerfScriptTest, PassesOverSourceLines) {
  // perf script -F +srcline adds a line per frame.
  const PerfScriptText text = ParsePerfScript(
      "a 1 12.000000: 10 cycles:\n\t10 f+0x1 (/usr/bin/a)\n  main.c:12\n\t11 g (/usr/bin/a)\n");
  EXPECT_EQ(Fold(text.samples.at(0)), "a;g;f");
  EXPECT_TRUE(text.problems.empty());
}

TEST(PerfScriptTest, RefusesAStrayLineWithItsFramesAndGoesOn) {
  const PerfScriptText text = ParsePerfScript(
      "a 1 12.000000: 10 cycles:\n\t10 f (/a)\n\nrubbish\n\t11 g (/a)\n\n"
      "b 2 13.000000: 10 cycles:\n\t12 h (/a)\n");
  ASSERT_EQ(text.samples.size(), 2U);
  EXPECT_EQ(Fold(text.samples[0]), "a;f");
  EXPECT_EQ(Fold(text.samples[1]), "b;h");
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_EQ(text.problems[0].line, 4);
}

TEST(PerfScriptTest, KeepsAWholeLastFrameWithoutANewline) {
  const PerfScriptText text = ParsePerfScript("a 1 12.000000: 10 cycles:\n\t10 f (/usr/bin/a)");
  EXPECT_EQ(text.samples.size(), 1U);
  EXPECT_TRUE(text.problems.empty());
}

TEST(PerfScriptTest, FoldsASemicolonInASymbolAway) {
  PerfScriptSample sample;
  sample.comm = "java";
  sample.frames = {{.name = "Lfoo;::bar", .dso = "", .inlined = false}};
  EXPECT_EQ(Fold(sample), "java;Lfoo:::bar");
}

TEST(PerfScriptTest, GivesTheSameLineByLineAsWhole) {
  const std::string text =
      "a 1 12.000000: 10 cycles:\n\t10 f (/a)\n\nb 2 13.000000: 10 cycles:\n\n";
  PerfScriptReader reader;
  std::vector<std::string> folded;
  for (const char* line :
       {"a 1 12.000000: 10 cycles:", "\t10 f (/a)", "", "b 2 13.000000: 10 cycles:", ""}) {
    if (const PerfScriptSample* sample = reader.Feed(line)) folded.push_back(Fold(*sample));
  }
  EXPECT_EQ(reader.Finish(), nullptr);
  EXPECT_THAT(folded, ::testing::ElementsAre("a;f", "b"));
  EXPECT_EQ(ParsePerfScript(text).samples.size(), 2U);
}

TEST(FoldedTest, SplitsAtTheLastBlank) {
  // A C++ frame holds blanks; perf-folded.txt of a real run has such lines.
  const auto stack = ParseFoldedLine("app;std::tuple<main::{lambda()#1}> >::_M_run;hot 391");
  ASSERT_TRUE(stack.has_value());
  EXPECT_EQ(stack->stack, "app;std::tuple<main::{lambda()#1}> >::_M_run;hot");
  EXPECT_EQ(stack->count, 391U);
}

TEST(FoldedTest, RefusesALineWithoutACountAndKeepsTheOthers) {
  const FoldedText text = ParseFolded("a;b 1\na;b\n# note\n\na;c 2\n");
  EXPECT_EQ(text.stacks.size(), 2U);
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_EQ(text.problems[0].line, 2);
}

}  // namespace
}  // namespace regressd::parse
