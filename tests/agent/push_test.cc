#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "services/agent/child_process.h"
#include "services/agent/private_directory.h"
#include "services/agent/push_session.h"
#include "services/agent/unique_fd.h"
#include "tests/agent/fake_ingest.h"
#include "tests/support/shared_data.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using testing::FakeIngest;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StoredRow;
using testing::StoredRun;
using testing::StoredSource;

/// Time in microseconds and value times 1/scale, by metric.
using Series = std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>>;

Series SeriesOf(const StoredSource& source) {
  Series series;
  for (const auto& [seq, row] : source.rows) {
    for (std::size_t i = 0; i < row.ints.size(); ++i) {
      if (!row.ints[i]) continue;
      series[source.declared.metrics(static_cast<int>(i)).name()].emplace_back(row.time_us,
                                                                               *row.ints[i]);
    }
  }
  return series;
}

class PushTest : public ::testing::Test {
 protected:
  PushTest() : directory_(*PrivateDirectory::Create()) {
    spec_.axes.Set("testcase", "swapload");
    spec_.commit.commit_id = "v6.18.44";
    spec_.facts.testbox = "box-1";
    delivery_.spool.directory = directory_.path() / "spool";
    delivery_.sender.server = fake_.address();
  }

  /// The run of these files as the server has it.
  StoredRun Push(const std::vector<std::string>& files, const RecordingOptions& options = {}) {
    std::vector<Recording> recordings;
    for (const std::string& file : files) {
      const absl::StatusOr<std::string> text = ReadRecordingFile(file);
      EXPECT_TRUE(text.ok()) << text.status();
      if (!text.ok()) return {};
      absl::StatusOr<Recording> recording = ReadRecording(file, *text, options);
      EXPECT_TRUE(recording.ok()) << recording.status();
      if (!recording.ok()) return {};
      recordings.push_back(*std::move(recording));
    }
    const absl::StatusOr<RunReport> report =
        PushRecordings(spec_, std::move(recordings), {}, delivery_, termination_);
    EXPECT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
    const StoredRun run = fake_.OnlyRun();
    EXPECT_TRUE(run.outcome.has_value());
    return run;
  }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_.path() / name) << text;
    return (directory_.path() / name).string();
  }

  absl::Status ErrorOf(const std::string& text, const RecordingOptions& options = {}) {
    return ReadRecording("file.txt", text, options).status();
  }

  TerminationSignal termination_;
  PrivateDirectory directory_;
  FakeIngest fake_;
  model::RunSpec spec_;
  DeliveryOptions delivery_;
};

class RecordedTest : public PushTest {
 protected:
  void SetUp() override {
    const auto corpus = support::SharedDir("corpus");
    if (!corpus) GTEST_SKIP() << support::NoSharedData("corpus");
    recorded_ = *corpus / "recorded";
  }

  fs::path recorded_;
};

TEST_F(RecordedTest, SnapshotsOfProcVmstatArriveValueForValueAndTimeForTime) {
  const StoredRun run = Push({(recorded_ / "proc-vmstat.txt.xz").string()});
  // Read here by blanks alone, not by our parser.
  const auto unpacked =
      Capture({"xz", "-dc", (recorded_ / "proc-vmstat.txt.xz").string()}, std::chrono::minutes(1));
  ASSERT_TRUE(unpacked.ok());
  std::istringstream lines(unpacked->text);
  Series expected;
  std::string name;
  std::string value;
  std::int64_t time_us = 0;
  while (lines >> name >> value) {
    if (name == "###") {
      time_us = std::stoll(value) * 1'000'000 + std::stoll(value.substr(value.find('.') + 1));
    } else {
      expected["proc-vmstat." + name].emplace_back(time_us, std::stoll(value));
    }
  }
  ASSERT_EQ(expected.size(), 192u);  // The corpus' README.
  EXPECT_EQ(SeriesOf(run.sources.at(kProcSource)), expected);
  EXPECT_EQ(run.sources.at(kProcSource).messages.size(), 3u) << "125 samples in batches of 60";
  EXPECT_EQ(run.spec.start_time().seconds(), 1796059855);
}

TEST_F(RecordedTest, VmstatWithTimesArrivesWithoutItsSinceBootRow) {
  const StoredRun run = Push({(recorded_ / "vmstat-nt1.txt").string()});
  const Series series = SeriesOf(run.sources.at(kVmstatSource));
  ASSERT_EQ(series.size(), 17u);
  const auto& switches = series.at("vmstat.system.cs");
  ASSERT_EQ(switches.size(), 124u);
  // Line 4: "... 1109 1119 50 50  0  0  0 2026-11-30 17:30:54"; date -u -d then gives 1796059854.
  EXPECT_EQ(switches.front(), (std::pair<std::int64_t, std::int64_t>{1796059854'000'000, 1119}));
  std::ifstream file(recorded_ / "vmstat-nt1.txt");
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(file, line);
  for (const auto& [time_us, value] : switches) {
    std::getline(file, line);
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 12; ++i) fields >> field;
    EXPECT_EQ(std::to_string(value), field);
  }
}

TEST_F(RecordedTest, VmstatWithoutTimesNeedsToKnowWhenItBegan) {
  const std::string file = (recorded_ / "vmstat-n1.txt").string();
  const absl::Status status = ReadRecording(file, *ReadRecordingFile(file), {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_NE(status.message().find("--start-time"), std::string::npos) << status;
  const StoredRun run = Push({file}, {.start_time = model::Time(std::chrono::seconds(1796059853))});
  const auto rows = SeriesOf(run.sources.at(kVmstatSource)).at("vmstat.system.in");
  ASSERT_EQ(rows.size(), 124u);
  // The row since boot is printed at the start, the first interval ends a second later.
  EXPECT_EQ(rows.front(), (std::pair<std::int64_t, std::int64_t>{1796059854'000'000, 1103}));
}

TEST_F(RecordedTest, PerfStatArrivesWithPerfsOwnTimesAndTwoDecimals) {
  const StoredRun run = Push({(recorded_ / "perf-stat-I1000.csv").string()});
  const StoredSource& source = run.sources.at(kPerfStatSource);
  Series expected;
  std::ifstream file(recorded_ / "perf-stat-I1000.csv");
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string time;
    std::string value;
    std::string unit;
    std::string event;
    std::getline(fields, time, ',');
    std::getline(fields, value, ',');
    std::getline(fields, unit, ',');
    std::getline(fields, event, ',');
    // "# started on Mon Nov 30 17:30:53 2026", UTC: 1796059853.
    const auto offset_us = static_cast<std::int64_t>(std::llround(std::stod(time) * 1e6));
    const std::int64_t stored =
        unit == "msec"
            ? std::stoll(value.substr(0, value.find('.')) + value.substr(value.find('.') + 1))
            : std::stoll(value);
    expected["perf-stat.i." + event].emplace_back(1796059853'000'000 + offset_us, stored);
  }
  ASSERT_EQ(expected.size(), 40u);
  EXPECT_EQ(SeriesOf(source), expected);
  for (const v1::Metric& metric : source.declared.metrics()) {
    const bool is_clock = metric.name().ends_with("-clock");
    EXPECT_EQ(metric.scale(), is_clock ? 0.01 : 1) << metric.name();
  }
}

TEST_F(RecordedTest, FoldedStacksArriveStackForStack) {
  const StoredRun run = Push({(recorded_ / "perf-folded.txt").string()});
  std::map<std::string, std::int64_t> expected;
  std::ifstream file(recorded_ / "perf-folded.txt");
  std::string line;
  std::int64_t total = 0;
  while (std::getline(file, line)) {
    const std::size_t blank = line.rfind(' ');
    expected[line.substr(0, blank)] += std::stoll(line.substr(blank + 1));
    total += std::stoll(line.substr(blank + 1));
  }
  ASSERT_EQ(total, 1442);  // The corpus' README.
  EXPECT_EQ(run.sources.at(kPerfRecordSource).stacks, expected);
}

TEST_F(RecordedTest, RecordingsOfOneLoadMakeOneRun) {
  const StoredRun run =
      Push({(recorded_ / "vmstat-nt1.txt").string(), (recorded_ / "perf-script.txt").string(),
            (recorded_ / "proc-vmstat.txt.xz").string()});
  EXPECT_EQ(run.sources.size(), 3u);
  std::int64_t total = 0;
  for (const auto& [folded, count] : run.sources.at(kPerfRecordSource).stacks) total += count;
  EXPECT_EQ(total, 184);  // The corpus' README: 184 samples.
}

TEST_F(RecordedTest, TwoRecordingsOfOneSourceAreTwoRuns) {
  std::vector<Recording> recordings;
  for (int i = 0; i < 2; ++i) {
    const std::string file = (recorded_ / "vmstat-nt1.txt").string();
    recordings.push_back(*ReadRecording(file, *ReadRecordingFile(file), {}));
  }
  const absl::Status status =
      PushRecordings(spec_, std::move(recordings), {}, delivery_, termination_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
}

TEST_F(PushTest, UnknownTextIsRefusedWithTheCure) {
  const absl::Status status = ErrorOf("hello world\n");
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(), "file.txt: none of the known formats; say it with --format");
}

TEST_F(PushTest, AnEmptyRecordingIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf("")));
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf("# started on Mon Nov 30 17:30:53 2026\n\n")));
}

TEST_F(PushTest, VmstatsOwnCommandLineSaysItsUnitAndItsDelay) {
  // vmstat -y -S M 5: no row since boot, memory in MiB, five seconds between rows.
  const std::string text =
      "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
      " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
      " 1  0      0  20617     30   3134    0    0     0     0  100  200  1  1 98  0  0\n"
      " 1  0      0  20617     30   3134    0    0     0     0  100  300  1  1 98  0  0\n";
  RecordingOptions options;
  options.vmstat_command = "vmstat -y -S M 5";
  options.start_time = model::Time(std::chrono::seconds(1000));
  const absl::StatusOr<Recording> recording = ReadRecording("f", text, options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->rows.size(), 2u);
  EXPECT_EQ(recording->rows[0].time, model::Time(std::chrono::seconds(1005)));
  EXPECT_EQ(recording->rows[1].time, model::Time(std::chrono::seconds(1010)));
  EXPECT_EQ(recording->source.metrics[3].name, "vmstat.memory.free");
  EXPECT_EQ(recording->source.metrics[3].scale, 1024) << "MiB in KiB";
}

TEST_F(PushTest, ACountWhoseTimeIsDamagedIsLeftOutAndNamed) {
  // perf stat -I 1000 -x, whose second line lost its time.
  const std::string text =
      "# started on Mon Nov 30 17:30:53 2026\n\n"
      "1.000100000,5,,page-faults,1000,100.00,,\n"
      "x.00100000,7,,context-switches,1000,100.00,,\n"
      "2.000100000,6,,page-faults,1000,100.00,,\n";
  const absl::StatusOr<Recording> recording = ReadRecording("f", text, {});
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->rows.size(), 2u);
  ASSERT_EQ(recording->problems.size(), 1u);
  EXPECT_THAT(recording->problems[0], HasSubstr("f:4: no time stands before \"context-switches\""));
}

TEST_F(PushTest, AMissingFileAndADamagedArchiveAreNamed) {
  EXPECT_TRUE(absl::IsNotFound(ReadRecordingFile("/no/such/file").status()));
  // A device or a pipe has no end, or none that comes.
  EXPECT_TRUE(absl::IsInvalidArgument(ReadRecordingFile("/dev/zero").status()));
  const std::string file = Write("x.xz", "no archive");
  const absl::Status status = ReadRecordingFile(file).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_NE(status.message().find(file), std::string::npos);
}

TEST_F(PushTest, ANameThatIsNoTextCostsOnlyItselfAndIsNoted) {
  const StoredRun run = Push({Write("proc.txt",
                                    "### 1000\npswpin 1\nbad\xff 2\nctl\x01 3\npswpout 4\n"
                                    "### 1001\npswpin 5\nbad\xff 6\nctl\x01 7\npswpout 8\n")});
  const Series series = SeriesOf(run.sources.at(kProcSource));
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series.at("proc-vmstat.pswpout").back().second, 8);
  EXPECT_THAT(run.outcome->monitor_notes().at("proc"), HasSubstr("line 3: the name \"bad\\xff\""));
}

TEST_F(PushTest, ASignalEndsTheReadingOfStdin) {
  // A stdin that says nothing and does not end, and a signal that has come.
  std::array<int, 2> quiet = {};
  std::array<int, 2> signal = {};
  ASSERT_EQ(pipe2(quiet.data(), O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(signal.data(), O_CLOEXEC), 0);
  ASSERT_EQ(write(signal[1], "x", 1), 1);
  const UniqueFd old_stdin(dup(STDIN_FILENO));
  dup2(quiet[0], STDIN_FILENO);
  const absl::Status status = ReadRecordingFile("-", signal[0]).status();
  dup2(old_stdin.get(), STDIN_FILENO);
  for (const int fd : {quiet[0], quiet[1], signal[0], signal[1]}) close(fd);
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

TEST_F(PushTest, ADamagedArchivesErrorQuotesLittleOfIt) {
  const std::string plain = Write("long.txt", std::string(200'000, 'y') + "\n");
  ASSERT_TRUE(Capture({"xz", plain}, std::chrono::minutes(1)).ok());
  const std::string file = plain + ".xz";
  fs::resize_file(file, fs::file_size(file) - 20);
  const absl::Status status = ReadRecordingFile(file).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_LT(status.message().size(), file.size() + 160) << status;
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("yyy")));
}

}  // namespace
}  // namespace regressd::agent
