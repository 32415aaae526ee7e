#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include <filesystem>
#include <map>
#include <string>

#include "services/agent/private_directory.h"
#include "services/agent/workloads/page_fault.h"
#include "services/agent/workloads/sparse_truncate.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

std::map<std::string, double> Values(const WorkloadResult& result) {
  std::map<std::string, double> values;
  for (const ResultLine& line : result.lines) values[line.name] = line.value;
  return values;
}

PageFaultOptions ShortRun() {
  return {.size_bytes = 4 * 1024 * 1024,
          .warm_up = std::chrono::milliseconds(20),
          .runtime = std::chrono::milliseconds(200)};
}

TEST(PageFaultTest, FaultsOncePerPageWhenHugePagesAreAdvisedAgainst) {
  PageFaultOptions options = ShortRun();
  options.huge_pages = HugePages::kNever;
  options.task_count = 2;
  const absl::StatusOr<WorkloadResult> result = RunPageFault(options);
  ASSERT_TRUE(result.ok()) << result.status();
  auto values = Values(*result);
  // One fault for each page written, and a few of the task's own.
  EXPECT_GE(values.at("faults_per_page"), 0.99);
  EXPECT_LT(values.at("faults_per_page"), 1.1);
  EXPECT_GT(values.at("processes_ops"), 0);
  EXPECT_NEAR(values.at("processes_ops"), 2 * values.at("per_process_ops"),
              1e-6 * values.at("processes_ops"));
}

TEST(PageFaultTest, CountsThreadsAlike) {
  PageFaultOptions options = ShortRun();
  options.threads = true;
  options.task_count = 2;
  options.huge_pages = HugePages::kNever;
  const absl::StatusOr<WorkloadResult> result = RunPageFault(options);
  ASSERT_TRUE(result.ok()) << result.status();
  auto values = Values(*result);
  EXPECT_GT(values.at("threads_ops"), 0);
  EXPECT_GE(values.at("faults_per_page"), 0.99);
}

TEST(PageFaultTest, HugePagesSaveFaultsOrTheRunFails) {
  PageFaultOptions options = ShortRun();
  options.size_bytes = 16 * 1024 * 1024;
  options.huge_pages = HugePages::kAlways;
  const absl::StatusOr<WorkloadResult> result = RunPageFault(options);
  if (!result.ok()) {
    EXPECT_TRUE(absl::IsFailedPrecondition(result.status()) || absl::IsInternal(result.status()))
        << result.status();
    GTEST_SKIP() << result.status();
  }
  EXPECT_LE(Values(*result).at("faults_per_page"), 0.5);
}

TEST(PageFaultTest, MoreMemoryThanThereIsIsRefused) {
  PageFaultOptions options = ShortRun();
  options.size_bytes = std::int64_t{1} << 50;
  EXPECT_TRUE(absl::IsResourceExhausted(RunPageFault(options).status()));
}

bool IsTmpfs(const fs::path& path) {
  struct statfs info = {};
  return statfs(path.c_str(), &info) == 0 && info.f_type == TMPFS_MAGIC;
}

class SparseTruncateTest : public ::testing::TestWithParam<bool> {};

TEST_P(SparseTruncateTest, GivesOneTimeForEachFileAndLeavesNothing) {
  const PrivateDirectory directory = *PrivateDirectory::Create();
  if (IsTmpfs(directory.path())) GTEST_SKIP() << "tmpfs keeps no holes in the page cache";
  const absl::StatusOr<WorkloadResult> result = RunSparseTruncate({.file_count = 8,
                                                                   .directory_count = 3,
                                                                   .file_size_bytes = 256 * 1024,
                                                                   .round_count = 2,
                                                                   .unlink = GetParam(),
                                                                   .directory = directory.path()});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->observations.size(), 1u);
  const ObservedValues& times = result->observations[0];
  EXPECT_EQ(times.name, "Time");
  EXPECT_EQ(times.values.size(), 16u);
  for (const double time_us : times.values) EXPECT_GT(time_us, 0);
  EXPECT_EQ(Values(*result).at("count"), 16);
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

INSTANTIATE_TEST_SUITE_P(TruncateAndUnlink, SparseTruncateTest, ::testing::Bool());

TEST(SparseTruncateTest, AFileSystemWithoutHolesInThePageCacheIsRefused) {
  if (!IsTmpfs("/dev/shm")) GTEST_SKIP() << "/dev/shm is no tmpfs";
  const absl::Status status =
      RunSparseTruncate({.file_count = 2, .directory = "/dev/shm"}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

}  // namespace
}  // namespace regressd::agent
