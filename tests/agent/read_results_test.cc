// From what a benchmark wrote to the run that the server has: live, of files, and pushed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>

#include "services/agent/child_process.h"
#include "services/agent/job/job_file.h"
#include "services/agent/job_plan.h"
#include "services/agent/private_directory.h"
#include "services/agent/push_session.h"
#include "services/agent/readers/readers.h"
#include "services/agent/result_files.h"
#include "services/agent/run_session.h"
#include "tests/agent/fake_ingest.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FakeIngest;
using ::testing::HasSubstr;
using testing::StoredRun;
using testing::StoredSource;

std::unique_ptr<ResultReader> Reader(std::string_view name) {
  absl::StatusOr<std::unique_ptr<ResultReader>> reader = MakeReader(name, {});
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

class ReadResultsTest : public ::testing::Test {
 protected:
  ReadResultsTest() : directory_(*PrivateDirectory::Create()) {
    plan_.spec.axes.Set("testcase", "t");
    plan_.spec.commit.commit_id = "v6.18";
    plan_.spec.facts.testbox = "box-1";
    plan_.testcase = "t";
    plan_.delivery.spool.directory = directory_.path() / "spool";
    plan_.delivery.sender.server = fake_.address();
    plan_.delivery.sender.min_backoff = std::chrono::milliseconds(1);
  }

  RunReport Run(const std::string& script) {
    plan_.command = {"sh", "-c", script};
    const absl::StatusOr<RunReport> report = ExecuteRun(plan_, termination_);
    EXPECT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
    return report.ok() ? *report : RunReport{};
  }

  absl::StatusOr<RunReport> Push(std::string_view reader_name,
                                 const std::vector<std::string>& files,
                                 std::optional<model::Time> begin_time = std::nullopt) {
    std::unique_ptr<ResultReader> reader = Reader(reader_name);
    const auto write_time = ReadResultFiles(files, std::nullopt, reader.get());
    if (!write_time.ok()) return write_time.status();
    PushedResults results;
    results.collector = std::make_unique<ResultCollector>("t", std::move(reader));
    results.failure = results.collector->FinishReading();
    results.begin_time = begin_time;
    results.write_time = *write_time;
    return PushRecordings(plan_.spec, {}, std::move(results), plan_.delivery, termination_);
  }

  std::string Path(const std::string& name) const { return (directory_.path() / name).string(); }

  std::string Write(const std::string& name, std::string_view text) {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << text;
    return Path(name);
  }

  static std::map<std::string, std::vector<double>> Results(const StoredRun& run) {
    std::map<std::string, std::vector<double>> results;
    if (!run.sources.contains(kResultSource)) return results;
    const StoredSource& source = run.sources.at(kResultSource);
    for (const auto& [seq, row] : source.rows) {
      for (std::size_t i = 0; i < row.doubles.size(); ++i) {
        if (!row.doubles[i]) continue;
        results[source.declared.metrics(static_cast<int>(i)).name()].push_back(*row.doubles[i]);
      }
    }
    return results;
  }

  TerminationSignal termination_;
  PrivateDirectory directory_;
  FakeIngest fake_;
  RunPlan plan_;
};

TEST_F(ReadResultsTest, ARunsOutputIsReadWhileItRuns) {
  plan_.reader = "vm-scalability";
  const RunReport report =
      Run("echo '1024000 bytes / 1000000 usecs = 1000 KB/s'\n"
          "echo '2048000 bytes / 1000000 usecs = 2000 KB/s'\n"
          "echo '500000 usecs to free memory'\n");
  EXPECT_EQ(report.exit_code(), 0);
  const StoredRun run = fake_.OnlyRun();
  EXPECT_EQ(run.outcome->failure(), "");
  const auto results = Results(run);
  EXPECT_THAT(results.at("t.throughput"), ElementsAre(3000));
  EXPECT_THAT(results.at("t.free_time"), ElementsAre(0.5));
  EXPECT_TRUE(results.contains("t.time.elapsed_time")) << "its rusage all the same";
  const StoredSource& tasks = run.sources.at(kReaderObservationSource);
  EXPECT_EQ(tasks.declared.metrics(0).name(), "t.task_throughput");
  EXPECT_THAT(tasks.observations.at(0), ElementsAre(1000, 2000));
}

TEST_F(ReadResultsTest, OutputWithoutItsResultIsAFailedRunWithTheReason) {
  plan_.reader = "vm-scalability";
  const RunReport report = Run("echo starting; echo usemem: cannot allocate >&2");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_TRUE(report.command.failed());
  const StoredRun run = fake_.OnlyRun();
  EXPECT_EQ(run.outcome->exit_status(), 0);
  EXPECT_THAT(run.outcome->failure(),
              HasSubstr("reader vm-scalability: no result in 2 lines of output; the last was: "));
  EXPECT_EQ(run.outcome->last_output_lines_size(), 2);
}

TEST_F(ReadResultsTest, ACommandsOwnFailureComesFirst) {
  plan_.reader = "vm-scalability";
  EXPECT_EQ(Run("exit 7").exit_code(), 7);
  const StoredRun run = fake_.OnlyRun();
  EXPECT_EQ(run.outcome->failure(), "");
  EXPECT_EQ(run.outcome->monitor_notes().at("result"), "reader vm-scalability: no output at all");
}

TEST_F(ReadResultsTest, TheTimesOfATimedCommandReplaceThoseOfItsShell) {
  plan_.reader = "gnu-time";
  Run("echo '4399.02user 10763.39system 2:51.37elapsed 8847%CPU' >&2");
  const auto results = Results(fake_.OnlyRun());
  EXPECT_THAT(results.at("t.time.system_time"), ElementsAre(10763.39));
  EXPECT_FALSE(results.contains("t.time.minor_page_faults")) << "never some of each";
}

TEST_F(ReadResultsTest, WithoutAReaderResultsAreWelcomeAndNotAsked) {
  EXPECT_EQ(Run("echo hello").exit_code(), 0);
  EXPECT_EQ(fake_.OnlyRun().outcome->failure(), "");
}

TEST_F(ReadResultsTest, AFileOfTheRunIsReadInPlaceOfItsOutput) {
  plan_.reader = "will-it-scale";
  plan_.result_files = {Path("page_fault1.csv")};
  Run(
      fmt::format("echo 'tasks,processes\n5,1' ; printf 'tasks,processes,processes_idle\\n"
                  "4,1755744,83.39\\n' > {}",
                  Path("page_fault1.csv")));
  const auto results = Results(fake_.OnlyRun());
  // By hand: 1755744 / 4.
  EXPECT_THAT(results.at("t.per_process_ops"), ElementsAre(438936));
  EXPECT_FALSE(results.contains("t.5.processes"));
}

TEST_F(ReadResultsTest, AFileThatTheRunDidNotWriteIsAFailedRun) {
  plan_.reader = "will-it-scale";
  plan_.result_files = {Path("none.csv")};
  EXPECT_EQ(Run("true").exit_code(), 1);
  EXPECT_EQ(fake_.OnlyRun().outcome->failure(),
            fmt::format("reader will-it-scale: {}: there is no such file", Path("none.csv")));
}

TEST_F(ReadResultsTest, AFileOfAnEarlierRunIsNotReadAgain) {
  plan_.reader = "mmtests";
  plan_.result_files = {Write("logs/truncate.log", "334\n")};
  fs::last_write_time(Path("logs/truncate.log"),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(Run("true").exit_code(), 1);
  EXPECT_THAT(fake_.OnlyRun().outcome->failure(), HasSubstr("it is of an earlier run"));
}

TEST_F(ReadResultsTest, AReaderThatThereIsNotCostsNoRun) {
  plan_.reader = "vmscale";
  plan_.command = {"touch", Path("ran")};
  EXPECT_TRUE(absl::IsInvalidArgument(ExecuteRun(plan_, termination_).status()));
  EXPECT_FALSE(fs::exists(Path("ran")));
}

TEST_F(ReadResultsTest, AFinishedBenchmarksDirectoryBecomesARun) {
  // Two iterations of mmtests; iter-10 comes after iter-9 whatever the alphabet says.
  Write("log/iter-9/kernbench/logs/kernbench-8-1.time", "1.00user 2.00system 0:03.00elapsed\n");
  Write("log/iter-10/kernbench/logs/kernbench-8-1.time", "4.00user 5.00system 0:06.00elapsed\n");
  Write("log/iter-10/tests-timestamp", "start :: 1680000000\n");
  const auto begin = model::Time(std::chrono::seconds(1'680'000'000));
  const absl::StatusOr<RunReport> report = Push("mmtests", {Path("log")}, begin);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->exit_code(), 0);
  const StoredRun run = fake_.OnlyRun();
  EXPECT_EQ(run.spec.start_time().seconds(), 1'680'000'000);
  const auto results = Results(run);
  EXPECT_THAT(results.at("t.elsp-8"), ElementsAre(3, 6));
  EXPECT_THAT(results.at("t.user-8"), ElementsAre(1, 4));
  EXPECT_FALSE(results.contains("t.time.elapsed_time")) << "nothing was run here";
}

TEST_F(ReadResultsTest, APushedLogWithoutResultsIsAFailedRun) {
  const absl::StatusOr<RunReport> report = Push("vm-scalability", {Write("a.log", "Killed\n")});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->exit_code(), 1);
  EXPECT_EQ(fake_.OnlyRun().outcome->failure(),
            "reader vm-scalability: no result in 1 line of output in 1 file; the last was: "
            "\"Killed\"");
}

TEST_F(ReadResultsTest, WhatCannotBeReadBecomesNoRun) {
  EXPECT_TRUE(absl::IsNotFound(Push("vm-scalability", {Path("none")}).status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(Push("vm-scalability", {directory_.path().string()}).status()));
  Write("empty/x.txt", "");
  EXPECT_TRUE(absl::IsNotFound(Push("mmtests", {Path("empty")}).status()));
  EXPECT_TRUE(fake_.runs().empty());
}

TEST_F(ReadResultsTest, PackedLogsAreReadOnce) {
  const std::string plain = Write("logs/truncate.log", "334\n349\n");
  const std::vector<std::string> tools[] = {{"xz", "-k", plain}, {"gzip", "-k", plain}};
  for (const std::vector<std::string>& tool : tools) {
    const auto packed = Capture(tool, {.timeout = std::chrono::minutes(1)});
    ASSERT_TRUE(packed.ok() && packed->exit.exit_status == 0) << packed.status();
  }
  // As it was, packed twice; then packed in one way only.
  for (const std::string& removed : {std::string(), plain, plain + ".gz"}) {
    fs::remove(removed);
    const auto reader = Reader("mmtests");
    ASSERT_TRUE(ReadResultFiles(std::vector{Path("logs")}, std::nullopt, reader.get()).ok());
    EXPECT_THAT(reader->Finish().observations.at(0).values, ElementsAre(334, 349)) << removed;
  }
}

TEST(ReaderOfAJobTest, IsWrittenAndReadAgainWithItsFiles) {
  Job job;
  job.testcase = "kernbench";
  job.command = {"./run-mmtests.sh"};
  job.reader = "mmtests";
  job.result_files = {"work/log/6.18"};
  const absl::StatusOr<Job> read = ParseJob(JobText(job), "job.toml");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, job);
}

TEST(ReaderOfAJobTest, MustSayWhereItsFilesAreAndWhatIsInThem) {
  Job job;
  job.testcase = "kernbench";
  job.command = {"./run-mmtests.sh"};
  job.reader = "mmtests";
  const absl::Status nowhere = CompleteJob(job, {.kernel_release = "6.18"}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(nowhere));
  EXPECT_THAT(std::string(nowhere.message()), HasSubstr("say where with --result-file"));
  job.reader = "";
  job.result_files = {"work/log/6.18"};
  EXPECT_THAT(std::string(CompleteJob(job, {.kernel_release = "6.18"}).status().message()),
              HasSubstr("--reader"));
  job.reader = "mmtests";
  EXPECT_TRUE(CompleteJob(job, {.kernel_release = "6.18"}).ok());
}

TEST(NaturalOrderTest, NumbersCountByTheirValue) {
  EXPECT_TRUE(InNaturalOrder("iter-2/x", "iter-10/x"));
  EXPECT_FALSE(InNaturalOrder("iter-10/x", "iter-2/x"));
  EXPECT_TRUE(InNaturalOrder("kernbench-8-2.time", "kernbench-16-1.time"));
  EXPECT_TRUE(InNaturalOrder("a", "b"));
  EXPECT_TRUE(InNaturalOrder("a", "ab"));
  EXPECT_FALSE(InNaturalOrder("a1", "a1"));
  EXPECT_NE(InNaturalOrder("a01", "a1"), InNaturalOrder("a1", "a01"));
}

}  // namespace
}  // namespace regressd::agent
