#include "services/parse/vm_scalability.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parse/benchmark_builder.h"

namespace regressd::parse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Parse;
using testing::ValuesOf;

// usemem's lines of case-anon-w-seq with 4 tasks, as posted to linux-mm with a patch of zswap that
// adds the parameter malloc_movable_if_support (2019).
constexpr std::string_view kAnonWrite =
    "2717908992 bytes / 3977932 usecs = 667233 KB/s\n"
    "2717908992 bytes / 4160702 usecs = 637923 KB/s\n"
    "2717908992 bytes / 4354611 usecs = 609516 KB/s\n"
    "293359 usecs to free memory\n"
    "340304 usecs to free memory\n"
    "205781 usecs to free memory\n"
    "2717908992 bytes / 5588016 usecs = 474982 KB/s\n"
    "166124 usecs to free memory\n";

TEST(VmScalabilityTest, AddsUpTheTasksOfOneIteration) {
  const BenchmarkResults results = Parse<VmScalabilityParser>(kAnonWrite);
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  // Python 3.11: sum(v), sorted(v)[len(v)//2], len(v)*100*pstdev(v)/mean(v),
  // mean([293359, 340304, 205781, 166124])/1e6, 4*2717908992/1024 with v = the four KB/s.
  EXPECT_THAT(values.at("throughput"), ElementsAre(2389654));
  EXPECT_THAT(values.at("median"), ElementsAre(637923)) << "the upper of the middle two";
  EXPECT_NEAR(values.at("stddev%")[0], 49.26077195187101, 1e-9);
  EXPECT_NEAR(values.at("free_time")[0], 0.251392, 1e-12);
  EXPECT_THAT(values.at("workload"), ElementsAre(10616832));
  EXPECT_FALSE(values.contains("median_stddev%")) << "one iteration has no spread";
  ASSERT_EQ(results.observations.size(), 1u);
  EXPECT_EQ(results.observations[0].name, "task_throughput");
  EXPECT_EQ(results.observations[0].better, model::Better::kNeither);
  EXPECT_THAT(results.observations[0].values, ElementsAre(667233, 637923, 609516, 474982));
}

TEST(VmScalabilityTest, AgreesWithLkpOnManyTasks) {
  // The rates and the figures of LKP's own example spec/stats/vm-scalability/2 (lkp-tests): one
  // iteration of 32 tasks. Here each ran for a second.
  constexpr int kRates[] = {14640, 14632, 14630, 14627, 14626, 14625, 14625, 14625,
                            14625, 14625, 14624, 14623, 14622, 14621, 14620, 14619,
                            14618, 14617, 14616, 14614, 14614, 14612, 14608, 14603,
                            14598, 14589, 14585, 14568, 14565, 14565, 14561, 14555};
  std::string text = "2020-05-06 11:25:18  ./case-swapin\n";
  for (const int rate : kRates) {
    text += fmt::format("{} bytes / 1000000 usecs = {} KB/s\n", rate * 1024, rate);
  }
  const BenchmarkResults results = Parse<VmScalabilityParser>(text);
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  EXPECT_THAT(values.at("throughput"), ElementsAre(467497));
  EXPECT_NEAR(values.at("stddev%")[0], 5.03915, 5e-6);
  EXPECT_THAT(values.at("median"), ElementsAre(14619));
}

TEST(VmScalabilityTest, AveragesIterationsOfTruncationAsLkpDoes) {
  // Input and figures of LKP's own example spec/stats/vm-scalability/1 (lkp-tests): 8 iterations of
  // one task.
  constexpr std::string_view kIntervals[] = {
      "1588930152.869615845-1588930152.863649555", "1588930153.293070241-1588930153.287153270",
      "1588930153.716802315-1588930153.710908466", "1588930154.157057879-1588930154.150996109",
      "1588930154.592345195-1588930154.585760720", "1588930155.025516986-1588930155.018976221",
      "1588930155.468288536-1588930155.462440513", "1588930155.902848479-1588930155.896606748"};
  std::string text;
  for (const std::string_view interval : kIntervals) {
    text += "2020-05-08 17:29:15  ./case-truncate\n67424993280 bytes truncated in ";
    text += interval;
    text += " seconds\n";
  }
  const BenchmarkResults results = Parse<VmScalabilityParser>(text);
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  EXPECT_NEAR(values.at("throughput")[0], 10759237388, 1);
  EXPECT_NEAR(values.at("stddev%")[0], 4.33912, 5e-6);
  EXPECT_NEAR(values.at("median")[0], 10759237388, 1);
  EXPECT_NEAR(values.at("median_stddev%")[0], 4.33912, 5e-6);
  EXPECT_THAT(values.at("workload"), ElementsAre(526757760));
  EXPECT_FALSE(values.contains("free_time"));
}

TEST(VmScalabilityTest, KnowsTheLinesOfItsOtherCases) {
  // Layouts: coreutils' dd, and vm-scalability's case scripts. 1 GiB in half a second, 1 MiB in 2
  // s.
  const auto copied = ValuesOf(
      Parse<VmScalabilityParser>("1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.5 s, 2.1 GB/s\n"));
  EXPECT_THAT(copied.at("throughput"), ElementsAre(2097152));
  const auto faulted =
      ValuesOf(Parse<VmScalabilityParser>("1048576 bytes faulted in 12.5-10.5 seconds\n"));
  EXPECT_THAT(faulted.at("throughput_fault"), ElementsAre(512));
  EXPECT_FALSE(faulted.contains("throughput"));
  EXPECT_FALSE(faulted.contains("workload"));
  const auto remapped =
      ValuesOf(Parse<VmScalabilityParser>("1048576 bytes remapped, 2000000 usecs, 0 MB/s\n"));
  EXPECT_THAT(remapped.at("throughput"), ElementsAre(512));
  const auto migrated =
      ValuesOf(Parse<VmScalabilityParser>("16 * 1048576 bytes migrated, 1000 usecs, 16777 MB/s\n"));
  EXPECT_THAT(migrated.at("migrate_mbps"), ElementsAre(16777));
  EXPECT_THAT(migrated.at("workload"), ElementsAre(16384));
}

TEST(VmScalabilityTest, SkipsProgressDotsAndTheSecondReading) {
  // usemem without -q prints a dot a round; with --read-again a second line that LKP leaves out.
  const auto values =
      ValuesOf(Parse<VmScalabilityParser>("...1024000 bytes / 1000000 usecs = 1000 KB/s\n"
                                          "read again 1024000 bytes / 500000 usecs = 2000 KB/s\n"));
  EXPECT_THAT(values.at("throughput"), ElementsAre(1000));
}

TEST(VmScalabilityTest, AnIterationWithoutResultFails) {
  const BenchmarkResults results = Parse<VmScalabilityParser>(
      "1  ./case-anon-w-seq\n"
      "1024000 bytes / 1000000 usecs = 1000 KB/s\n"
      "2  ./case-anon-w-seq\n"
      "fork: Cannot allocate memory\n");
  EXPECT_EQ(results.failure, "no result after \"2  ./case-anon-w-seq\" at stdout line 3");
}

TEST(VmScalabilityTest, AShellsMessageAboutACaseBeginsNoIteration) {
  const BenchmarkResults results = Parse<VmScalabilityParser>(
      "1  ./case-anon-w-seq\n"
      "./case-anon-w-seq: line 12: numactl: command not found\n"
      "1024000 bytes / 1000000 usecs = 1000 KB/s\n");
  EXPECT_EQ(results.failure, "");
}

TEST(VmScalabilityTest, FiguresThatDoNotAgreeFail) {
  const BenchmarkResults results =
      Parse<VmScalabilityParser>("1024000 bytes / 1000000 usecs = 100 KB/s\n");
  EXPECT_THAT(results.failure, HasSubstr("are 1000 KB/s"));
  EXPECT_THAT(Parse<VmScalabilityParser>("1024 bytes truncated in 5.0-5.0 seconds\n").failure,
              HasSubstr("took no time"));
}

TEST(VmScalabilityTest, OtherOutputIsNoResult) {
  for (const std::string_view text :
       {"", "\n", "bytes / usecs = KB/s\n", "5 bytes / 3 usecs\n", "7 usecs to free memory\n",
        "-1 bytes / 3 usecs = 4 KB/s\n", "99999999999999999999 bytes / 3 usecs = 4 KB/s\n"}) {
    EXPECT_TRUE(Parse<VmScalabilityParser>(text).empty()) << text;
  }
}

}  // namespace
}  // namespace regressd::parse
