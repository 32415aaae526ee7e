#include "services/parse/proc_key_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regressd::parse {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSwapCounters = "pgfault 10\npswpin 1\npswpout 2\n";

TEST(ProcVmstatTest, SaysOncePerNameThatAGaugeIsBelowZero) {
  ProcVmstatReader reader;
  std::vector<ProcVmstatValue> values;
  const std::string text = std::string("nr_dirty -1\n") + kSwapCounters;
  ASSERT_TRUE(reader.Read(text, &values));
  EXPECT_EQ(reader.TakeProblems().size(), 1U);
  ASSERT_TRUE(reader.Read(text, &values));
  EXPECT_TRUE(reader.TakeProblems().empty());
  EXPECT_EQ(values[0].value, 0U);
  EXPECT_EQ(values[0].below_zero, -1);
}

TEST(ProcVmstatTest, OneFallingCounterAmongRisingOnesIsNoReboot) {
  ProcVmstatReader reader;
  std::vector<ProcVmstatValue> values;
  ASSERT_TRUE(reader.Read("pgfault 10\npswpin 5\npswpout 5\n", &values));
  ASSERT_TRUE(reader.Read("pgfault 20\npswpin 9\npswpout 4\n", &values));
  EXPECT_TRUE(reader.TakeProblems().empty());
  ASSERT_TRUE(reader.Read("pgfault 1\npswpin 0\npswpout 0\n", &values));
  EXPECT_EQ(reader.TakeProblems().at(0).code, "counter_reset");
}

TEST(ProcVmstatTest, FollowsNamesThatMove) {
  // After a kernel update in the middle of a recording, names come and go.
  ProcVmstatReader reader;
  std::vector<ProcVmstatValue> values;
  ASSERT_TRUE(reader.Read("nr_dirty 4\npgfault 10\npswpout 5\n", &values));
  ASSERT_TRUE(reader.Read("pgfault 11\nnr_dirty 3\nnew_name 1\npswpout 5\n", &values));
  EXPECT_EQ(values[0].kind, model::MetricKind::kCounter);
  EXPECT_EQ(values[1].kind, model::MetricKind::kGauge);
  EXPECT_EQ(values[2].name, "new_name");
}

TEST(ProcVmstatTest, NamesTheMissingConfigurationOfASwaplessKernel) {
  ProcVmstatReader reader;
  std::vector<ProcVmstatValue> values;
  ASSERT_TRUE(reader.Read("nr_dirty 4\npgfault 10\n", &values));
  EXPECT_THAT(reader.TakeProblems().at(0).message, HasSubstr("CONFIG_SWAP"));
}

TEST(ProcVmstatTest, CountsLinesFromTheSnapshotsPlaceInItsFile) {
  ProcVmstatReader reader;
  std::vector<ProcVmstatValue> values;
  EXPECT_FALSE(reader.Read("pgfault 10\npswpin\n", &values, 100));
  EXPECT_EQ(reader.TakeProblems().at(0).line, 101);
  EXPECT_TRUE(values.empty());
}

TEST(MeminfoTest, ReadsKibAndPlainCounts) {
  // Lines of a 6.1 kernel's /proc/meminfo.
  const Meminfo meminfo = ParseMeminfo(
      "MemTotal:       24632452 kB\nActive(anon):        411 kB\nHugePages_Total:       3\nbad\n");
  ASSERT_EQ(meminfo.values.size(), 3U);
  EXPECT_EQ(meminfo.values[0].name, "MemTotal");
  EXPECT_EQ(meminfo.values[0].value, 24632452U);
  EXPECT_TRUE(meminfo.values[0].kib);
  EXPECT_EQ(meminfo.values[1].name, "Active(anon)");
  EXPECT_EQ(meminfo.values[2].value, 3U);
  EXPECT_FALSE(meminfo.values[2].kib);
  EXPECT_EQ(meminfo.problems.at(0).line, 4);
}

TEST(PressureTest, ReadsTheKernelsLines) {
  // The example of Documentation/accounting/psi.rst, with figures put in.
  const Pressure pressure = ParsePressure(
      "some avg10=0.25 avg60=1.50 avg300=2.00 total=18446744073709551615\n"
      "full avg10=0.00 avg60=0.01 avg300=0.02 total=7\n"
      "full avg10=0.00 avg60=0.01 total=7\n");
  ASSERT_EQ(pressure.lines.size(), 2U);
  EXPECT_FALSE(pressure.lines[0].full);
  EXPECT_EQ(pressure.lines[0].avg10, 0.25);
  EXPECT_EQ(pressure.lines[0].avg60, 1.5);
  EXPECT_EQ(pressure.lines[0].avg300, 2);
  EXPECT_EQ(pressure.lines[0].total_us, 18446744073709551615U);
  EXPECT_TRUE(pressure.lines[1].full);
  EXPECT_EQ(pressure.problems.at(0).line, 3);
}

TEST(RecordingTest, SplitsAtTheTimes) {
  const Recording recording =
      SplitRecording("### 1796059855.425232\na 1\nb 2\n### 1796059856.5\na 3\n");
  ASSERT_EQ(recording.snapshots.size(), 2U);
  EXPECT_EQ(recording.snapshots[0].time, model::Time(std::chrono::microseconds(1796059855425232)));
  EXPECT_EQ(recording.snapshots[0].text, "a 1\nb 2");
  EXPECT_EQ(recording.snapshots[0].first_line, 2);
  EXPECT_EQ(recording.snapshots[1].text, "a 3");
  EXPECT_EQ(recording.snapshots[1].first_line, 5);
}

TEST(RecordingTest, LeavesOutWhatHasNoTime) {
  const Recording recording = SplitRecording("a 0\n### later\na 1\n### 5\na 2\n");
  ASSERT_EQ(recording.snapshots.size(), 1U);
  EXPECT_EQ(recording.snapshots[0].text, "a 2");
  ASSERT_EQ(recording.problems.size(), 2U);
  EXPECT_EQ(recording.problems[0].line, 1);
  EXPECT_EQ(recording.problems[1].line, 3);
}

TEST(ProcVmstatTest, AValueWhoseNameIsNoTextIsLeftOutAloneAndNamedOnce) {
  ProcVmstatReader reader;
  std::vector<ProcVmstatValue> values;
  const std::string text = "pswpin 1\npg\xff\xfe 2\npg\x01x 3\npswpout 4\n";
  ASSERT_TRUE(reader.Read(text, &values, 10));
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].name, "pswpin");
  EXPECT_EQ(values[1].name, "pswpout");
  EXPECT_EQ(values[1].value, 4U);
  ASSERT_TRUE(reader.Read(text, &values, 20));
  const Problems problems = reader.TakeProblems();
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].line, 11);
  EXPECT_EQ(problems[0].message,
            "line 11: the name \"pg\\xff\\xfe\" is not UTF-8; its values are left out");
  EXPECT_EQ(problems[1].line, 12);
}

}  // namespace
}  // namespace regressd::parse
