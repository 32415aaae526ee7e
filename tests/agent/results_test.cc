#include "services/agent/results.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "services/agent/private_directory.h"
#include "tests/agent/recording_sink.h"

namespace regressd::agent {
namespace {

using testing::RecordingSink;

/// The values of a source of doubles by metric name; missing ones left out.
std::map<std::string, std::vector<double>> Doubles(const RecordingSink& sink) {
  std::map<std::string, std::vector<double>> values;
  const std::vector<model::Metric>& metrics = sink.sources.at(kResultSource).metrics;
  for (const Row& row : sink.rows.at(kResultSource)) {
    for (std::size_t i = 0; i < row.doubles.size(); ++i) {
      if (!row.missing[i]) values[metrics[i].name].push_back(row.doubles[i]);
    }
  }
  return values;
}

const model::Metric& MetricOf(const RecordingSink& sink, std::int32_t source_id,
                              const std::string& name) {
  for (const model::Metric& metric : sink.sources.at(source_id).metrics) {
    if (metric.name == name) return metric;
  }
  ADD_FAILURE() << "no metric " << name;
  static const model::Metric none;
  return none;
}

TEST(ResultCollectorTest, LinesBecomeMetricsOfTheTestcase) {
  ResultCollector results("vm-scalability");
  results.TakeLine("throughput 1234.5 KB/s higher");
  results.TakeLine("starting 8 tasks on all of the CPUs");
  results.TakeLine("stall_time 7 us lower");
  results.TakeLine("throughput 1300 KB/s higher");
  RecordingSink sink;
  results.Send(model::Time(std::chrono::seconds(5)), {}, &sink);
  const auto values = Doubles(sink);
  EXPECT_EQ(values.at("vm-scalability.throughput"), (std::vector<double>{1234.5, 1300}));
  EXPECT_EQ(values.at("vm-scalability.stall_time"), (std::vector<double>{7}));
  EXPECT_EQ(values.size(), 2u);
  const model::Metric& metric = MetricOf(sink, kResultSource, "vm-scalability.stall_time");
  EXPECT_EQ(metric.unit, "us");
  EXPECT_EQ(metric.better, model::Better::kLower);
  EXPECT_EQ(sink.rows.at(kResultSource)[0].time, model::Time(std::chrono::seconds(5)));
}

TEST(ResultCollectorTest, ABrokenValueIsNotedNotTaken) {
  ResultCollector results("t");
  results.TakeLine("throughput 12,5");
  RecordingSink sink;
  results.Send({}, {}, &sink);
  EXPECT_TRUE(sink.rows[kResultSource].empty());
  EXPECT_EQ(sink.notes, (std::vector<std::string>{"result: not a number: \"throughput 12,5\""}));
}

TEST(ResultCollectorTest, UsageBecomesLkpsTimeMetrics) {
  CommandResult command;
  command.elapsed = std::chrono::milliseconds(2500);
  command.exit.usage.ru_utime = {.tv_sec = 3, .tv_usec = 250'000};
  command.exit.usage.ru_stime = {.tv_sec = 0, .tv_usec = 500'000};
  command.exit.usage.ru_minflt = 11;
  command.exit.usage.ru_majflt = 12;
  command.exit.usage.ru_nvcsw = 13;
  command.exit.usage.ru_nivcsw = 14;
  command.exit.usage.ru_maxrss = 15;
  command.exit.usage.ru_inblock = 16;
  command.exit.usage.ru_oublock = 17;
  ResultCollector results("t");
  results.TakeUsage(command);
  RecordingSink sink;
  results.Send({}, {}, &sink);
  // GNU time's words under LKP's names: lkp.md 2.4. 3.75 s of CPU in 2.5 s are 150 %.
  const std::map<std::string, std::vector<double>> expected = {
      {"t.time.elapsed_time", {2.5}},
      {"t.time.user_time", {3.25}},
      {"t.time.system_time", {0.5}},
      {"t.time.minor_page_faults", {11}},
      {"t.time.major_page_faults", {12}},
      {"t.time.voluntary_context_switches", {13}},
      {"t.time.involuntary_context_switches", {14}},
      {"t.time.maximum_resident_set_size", {15}},
      {"t.time.file_system_inputs", {16}},
      {"t.time.file_system_outputs", {17}},
      {"t.time.percent_of_cpu_this_job_got", {150}}};
  EXPECT_EQ(Doubles(sink), expected);
}

TEST(ResultCollectorTest, ANameOfTheObservationsIsNotTakenTwice) {
  ResultCollector results("t");
  results.TakeLine("Time 5 us lower");
  results.TakeLine("count 1");
  RecordingSink sink;
  results.Send({}, {"t.Time"}, &sink);
  EXPECT_EQ(Doubles(sink).size(), 1u);
  EXPECT_EQ(sink.notes.size(), 1u);
}

TEST(ObservationsTest, AFileOfValuesBecomesASource) {
  const PrivateDirectory directory = *PrivateDirectory::Create();
  const std::filesystem::path file = directory.path() / "observations";
  std::ofstream(file) << "# Time us lower\n12.25\n11.5\n# create us lower\n3\nTime 11.75\n";
  RecordingSink sink;
  EXPECT_EQ(SendObservations(file, "sparsetruncate", &sink),
            (std::unordered_set<std::string>{"sparsetruncate.Time", "sparsetruncate.create"}));
  EXPECT_EQ(sink.observations.at(0), (std::vector<double>{12.25, 11.5, 11.75}));
  EXPECT_EQ(sink.observations.at(1), (std::vector<double>{3}));
  const model::Metric& metric = MetricOf(sink, kObservationSource, "sparsetruncate.Time");
  EXPECT_EQ(metric.unit, "us");
  EXPECT_EQ(metric.better, model::Better::kLower);
}

TEST(ObservationsTest, APipeInPlaceOfTheFileIsTold) {
  const PrivateDirectory directory = *PrivateDirectory::Create();
  const std::filesystem::path file = directory.path() / "observations";
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);  // Opening it for reading would never return.
  RecordingSink sink;
  EXPECT_TRUE(SendObservations(file, "t", &sink).empty());
  EXPECT_EQ(sink.notes.size(), 1u);
}

TEST(ObservationsTest, ACommandWithoutThemSendsNothing) {
  RecordingSink sink;
  EXPECT_TRUE(SendObservations("/no/such/file", "t", &sink).empty());
  EXPECT_TRUE(sink.sources.empty());
}

}  // namespace
}  // namespace regressd::agent
