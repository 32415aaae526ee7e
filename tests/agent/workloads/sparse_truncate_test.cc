#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include <filesystem>
#include <map>
#include <string>

#include "services/agent/private_directory.h"
#include "services/agent/workloads/sparse_truncate.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

std::map<std::string, double> Values(const WorkloadResult& result) {
  std::map<std::string, double> values;
  for (const ResultLine& line : result.lines) values[line.name] = line.value;
  return values;
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
