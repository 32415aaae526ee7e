#include "services/agent/workloads/file_read.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include <filesystem>
#include <map>
#include <string>

#include "services/agent/private_directory.h"
#include "services/agent/workloads/page_cache.h"
#include "services/agent/workloads/throughput.h"

namespace regressd::agent {
namespace {

std::map<std::string, double> Values(const WorkloadResult& result) {
  std::map<std::string, double> values;
  for (const ResultLine& line : result.lines) values[line.name] = line.value;
  return values;
}

bool IsTmpfs(const std::filesystem::path& path) {
  struct statfs info = {};
  return statfs(path.c_str(), &info) == 0 && info.f_type == TMPFS_MAGIC;
}

class FileReadTest : public ::testing::TestWithParam<FileAccess> {};

TEST_P(FileReadTest, EachTaskReadsItsFileToTheEndAndLeavesNone) {
  const PrivateDirectory directory = *PrivateDirectory::Create();
  if (IsTmpfs(directory.path())) GTEST_SKIP() << "tmpfs keeps no holes in the page cache";
  for (const bool sparse : {true, false}) {
    const absl::StatusOr<WorkloadResult> result = RunFileRead({.access = GetParam(),
                                                               .task_count = 2,
                                                               .size_bytes = 6 << 20,
                                                               .sparse = sparse,
                                                               .content = PageContent::kRandom,
                                                               .directory = directory.path()});
    ASSERT_TRUE(result.ok()) << result.status();
    auto values = Values(*result);
    EXPECT_EQ(values.at("workload"), 6 << 20);
    EXPECT_GT(values.at("throughput"), 0);
    ASSERT_EQ(result->observations.size(), 1u);
    EXPECT_EQ(result->observations[0].values.size(), 2u);
    EXPECT_EQ(result->observations[0].better, "neither") << "the sum is judged";
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  }
}

INSTANTIATE_TEST_SUITE_P(ReadAndMapped, FileReadTest,
                         ::testing::Values(FileAccess::kReadOnce, FileAccess::kMmapRead));

TEST(FileReadTest, AFileSystemWithoutHolesInThePageCacheIsRefused) {
  if (!IsTmpfs("/dev/shm")) GTEST_SKIP() << "/dev/shm is no tmpfs";
  const absl::Status status =
      RunFileRead({.size_bytes = 1 << 20, .directory = "/dev/shm"}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

TEST(FileReadTest, WrittenFilesThatDoNotFitAreRefused) {
  const absl::Status status =
      RunFileRead({.size_bytes = std::int64_t{1} << 60, .sparse = false}).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

TEST(ThroughputTest, IsTheSumOfTheTasksRates) {
  GroupMeasure measure;
  // 1000, 2000 and 6000 KB/s of 1024 bytes, in operations of 8 bytes.
  for (const std::int64_t kb : {1000, 2000, 6000}) {
    measure.tasks.push_back(
        {.total_operations = kb * 1024 / 8 * 2, .work_seconds = 2, .release_seconds = 0.25});
  }
  const WorkloadResult result = DescribeThroughput(measure, 8);
  auto values = Values(result);
  EXPECT_DOUBLE_EQ(values.at("throughput"), 9000);
  EXPECT_DOUBLE_EQ(values.at("median"), 2000);
  // Python 3.11: statistics.pstdev([1000, 2000, 6000]) / 3000 * 100; stdev would give 88.19.
  EXPECT_NEAR(values.at("stddev%"), 72.00822998230956, 1e-9);
  EXPECT_DOUBLE_EQ(values.at("free_time"), 0.25);
  EXPECT_DOUBLE_EQ(values.at("workload"), 9000 * 1024 * 2);
  EXPECT_EQ(result.observations[0].values, (std::vector<double>{1000, 2000, 6000}));
}

TEST(ThroughputTest, TheMedianOfTwoLiesBetweenThem) {
  GroupMeasure measure;
  measure.tasks = {{.total_operations = 1024, .work_seconds = 1},
                   {.total_operations = 3072, .work_seconds = 1}};
  EXPECT_DOUBLE_EQ(Values(DescribeThroughput(measure, 1)).at("median"), 2);
}

}  // namespace
}  // namespace regressd::agent
