#include "services/parse/perf_stat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace regressd::parse {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PerfStatTest, JoinsAnEventThatHoldsTheSeparator) {
  // perf stat -x, -e cpu/event=0x3c,umask=0x1/ prints the event as it was given, unquoted.
  const PerfStatText text =
      ParsePerfStat("     1.000,5,,cpu/event=0x3c,umask=0x1/,1000,100.00,,\n");
  ASSERT_EQ(text.rows.size(), 1U);
  EXPECT_EQ(text.rows[0].event, "cpu/event=0x3c,umask=0x1/");
  EXPECT_EQ(text.rows[0].run_ns, 1000);
}

TEST(PerfStatTest, ReadsATabOrAPipeAsSeparator) {
  for (const char* line : {"1.5\t7\t\tfaults\t10\t100.00\t\t", "1.5|7||faults|10|100.00||"}) {
    const PerfStatText text = ParsePerfStat(line);
    ASSERT_EQ(text.rows.size(), 1U) << line;
    EXPECT_EQ(text.rows[0].value, 7);
    EXPECT_EQ(text.rows[0].event, "faults");
  }
}

TEST(PerfStatTest, ReadsAnUnusualSeparatorWhenToldSo) {
  const PerfStatText text = ParsePerfStat("1.5~7~~faults~10~100.00~~", '~');
  ASSERT_EQ(text.rows.size(), 1U);
  EXPECT_EQ(text.rows[0].time_s, 1.5);
}

TEST(PerfStatTest, ReadsPerThreadRows) {
  // aggr_printout() of tools/perf/util/stat-display.c: comm-tid for AGGR_THREAD.
  const PerfStatText text = ParsePerfStat(
      "     1.000,usemem-402,12.5,msec,cpu-clock,12500000,100.00,0.012,CPUs utilized\n");
  ASSERT_EQ(text.rows.size(), 1U);
  EXPECT_EQ(text.rows[0].aggregate->kind, "thread");
  EXPECT_EQ(text.rows[0].aggregate->id, "usemem-402");
  EXPECT_EQ(text.rows[0].value, 12.5);
}

TEST(PerfStatTest, TakesAFurtherMetricOfAnEventAsAMetric) {
  // new_line_csv() of tools/perf/util/stat-display.c: empty fields, then metric and unit.
  const PerfStatText text = ParsePerfStat(
      "     1.000,500,,instructions,1000,100.00,0.50,insn per cycle\n"
      "     1.000,,,,,,0.10,stalled cycles per insn\n");
  EXPECT_EQ(text.rows.size(), 1U);
  ASSERT_EQ(text.metrics.size(), 1U);
  EXPECT_EQ(text.metrics[0].name, "stalled cycles per insn");
  EXPECT_EQ(text.metrics[0].value, 0.1);
  EXPECT_EQ(text.metrics[0].time_s, 1.0);
}

TEST(PerfStatTest, SaysOnceAnEventThatItCannotMeasure) {
  const PerfStatText text = ParsePerfStat(
      "1.0,<not supported>,,cycles,0,100.00,,\n2.0,<not supported>,,cycles,0,100.00,,\n");
  EXPECT_EQ(text.rows.size(), 2U);
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_THAT(text.problems[0].message, HasSubstr("not measured: cycles"));
}

TEST(PerfStatTest, RefusesARowThatWasCutAndKeepsTheOthers) {
  const PerfStatText text =
      ParsePerfStat("1.0,7,,faults,10,100.00,,\n2.0,8,,fau\n3.0,9,,faults,10,100.00,,\n");
  ASSERT_EQ(text.rows.size(), 2U);
  EXPECT_EQ(text.rows[1].value, 9);
  EXPECT_EQ(text.problems.at(0).line, 2);
}

TEST(PerfStatTest, RefusesADecimalCommaInTheCountItself) {
  // "204,82,msec,cpu-clock,204824441,100,00,2,048,CPUs utilized": value, share and metric are
  // split.
  const PerfStatText text = ParsePerfStat(
      "     0,102025535,204,82,msec,cpu-clock,204824441,100,00,2,048,CPUs utilized\n");
  EXPECT_TRUE(text.rows.empty());
  EXPECT_EQ(text.problems.at(0).code, "locale_decimal_comma");
}

TEST(PerfStatTest, ADamagedRowCostsOnlyItselfWhereverItStands) {
  // One lost comma, and a count that a stray comma has split.
  const std::string good = "1.0,7,,faults,10,100.00,12.671,K/sec\n";
  for (const std::string damaged :
       {"2.0,7,,faults,10,100.00X12.671,K/sec\n", "2.0,7,,faults,10,100.00,12,671,K/sec\n",
        "2,7,,faults,10,100,12,671,K/sec\n"}) {
    const PerfStatText first = ParsePerfStat(damaged + good + good);
    EXPECT_EQ(first.rows.size(), 2U) << damaged;
    ASSERT_EQ(first.problems.size(), 1U) << damaged;
    EXPECT_EQ(first.problems[0].line, 1);
    const PerfStatText middle = ParsePerfStat(good + damaged + good);
    EXPECT_EQ(middle.rows.size(), 2U) << damaged;
    ASSERT_EQ(middle.problems.size(), 1U) << damaged;
    EXPECT_EQ(middle.problems[0].line, 2);
    EXPECT_EQ(middle.problems[0].code, "field_count_mismatch");
    EXPECT_THAT(middle.problems[0].message, Not(HasSubstr("decimal comma")));
  }
}

TEST(PerfStatTest, ALostLineEndInJsonCostsOnlyItsLine) {
  const std::string good = "{\"counter-value\" : \"3\", \"event\" : \"faults\"}";
  const PerfStatText text = ParsePerfStat(good + "\n" + good + good + "\n" + good + "\n");
  EXPECT_EQ(text.rows.size(), 2U);
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_EQ(text.problems[0].line, 2);
  EXPECT_THAT(text.problems[0].message, Not(HasSubstr("--metric-only")));
}

TEST(PerfStatTest, KeepsACountBeyondTheFloatRange) {
  const PerfStatText text = ParsePerfStat("9007199254740991,,instructions,1000,100.00,,\n");
  EXPECT_EQ(text.rows.at(0).value, 9007199254740991.0);  // 2^53 - 1
}

TEST(PerfStatTest, LeavesOutAnInvalidJsonLine) {
  const PerfStatText text = ParsePerfStat(
      "{\"counter-value\" : \"3\", \"event\" : \"faults\"}\n{\"counter-value\" : \"4\", \"ev\n");
  EXPECT_EQ(text.rows.size(), 1U);
  EXPECT_EQ(text.problems.at(0).code, "invalid_json");
  EXPECT_EQ(text.problems.at(0).line, 2);
}

TEST(PerfStatTest, ReadsAggregatesOfJson) {
  // json_out of aggr_printout(): the level is the key, the number of CPUs "aggregate-number".
  const PerfStatText text = ParsePerfStat(
      "{\"socket\" : \"S1\", \"aggregate-number\" : 4, \"counter-value\" : \"3.000000\", "
      "\"event\" : \"faults\"}\n");
  ASSERT_EQ(text.rows.size(), 1U);
  EXPECT_EQ(text.rows[0].aggregate->kind, "socket");
  EXPECT_EQ(text.rows[0].aggregate->id, "S1");
  EXPECT_EQ(text.rows[0].aggregate->cpu_count, 4);
}

TEST(PerfStatTest, PassesOverTheWordsRoundTheTableForPeople) {
  const PerfStatText text = ParsePerfStat(
      "\n Performance counter stats for 'sleep 1':\n\n"
      "              0.51 msec task-clock                       #    0.001 CPUs utilized\n"
      "                48      page-faults                      #   94.1 K/sec  ( +-  0.33% )\n\n"
      "       1.001180042 seconds time elapsed\n");
  ASSERT_EQ(text.rows.size(), 2U);
  EXPECT_EQ(text.rows[0].unit, "msec");
  EXPECT_EQ(text.rows[1].variance_percent, 0.33);
  EXPECT_FALSE(text.rows[1].time_s.has_value());
}

TEST(PerfStatTest, SaysThatThereIsNothing) {
  EXPECT_EQ(ParsePerfStat("# started on Mon\n\n").problems.at(0).code, "no_counts");
}

TEST(PerfStatTest, AnEventWhoseNameIsNoTextIsLeftOut) {
  const PerfStatText text =
      ParsePerfStat("1.0,7,,fau\xfflts,10,100.00,,\n1.0,8,,cycles,10,100.00,,\n");
  ASSERT_EQ(text.rows.size(), 1U);
  EXPECT_EQ(text.rows[0].event, "cycles");
  ASSERT_EQ(text.problems.size(), 1U);
  EXPECT_EQ(text.problems[0].line, 1);
  EXPECT_EQ(text.problems[0].code, "bad_name");
}

}  // namespace
}  // namespace regressd::parse
