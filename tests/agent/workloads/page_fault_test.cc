#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "services/agent/private_directory.h"
#include "services/agent/workloads/page_fault.h"

namespace regressd::agent {
namespace {

std::map<std::string, double> Values(const WorkloadResult& result) {
  std::map<std::string, double> values;
  for (const ResultLine& line : result.lines) values[line.name] = line.value;
  return values;
}

// AddressSanitizer keeps a byte for eight, and from GCC 14 on clears those of new mappings, so that
// each eighth fault brings one of its own.
#ifdef __SANITIZE_ADDRESS__
constexpr double kShadowFaults = 0.125;
#else
constexpr double kShadowFaults = 0;
#endif

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
  EXPECT_LT(values.at("faults_per_page"), 1.1 + kShadowFaults);
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

class FileFaultTest : public ::testing::TestWithParam<FaultedMemory> {};

TEST_P(FileFaultTest, WritesPagesByFaultsAndLeavesNoFile) {
  const PrivateDirectory directory = *PrivateDirectory::Create();
  PageFaultOptions options = ShortRun();
  options.memory = GetParam();
  options.task_count = 2;
  options.directory = directory.path();
  const absl::StatusOr<WorkloadResult> result = RunPageFault(options);
  ASSERT_TRUE(result.ok()) << result.status();
  auto values = Values(*result);
  // A page that is copied faults by itself; one of a large folio may come with its neighbours.
  EXPECT_GE(values.at("faults_per_page"), GetParam() == FaultedMemory::kPrivateFile ? 0.99 : 0.001);
  EXPECT_LT(values.at("faults_per_page"), 1.1 + kShadowFaults);
  EXPECT_GT(values.at("processes_ops"), 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

INSTANTIATE_TEST_SUITE_P(PrivateAndShared, FileFaultTest,
                         ::testing::Values(FaultedMemory::kPrivateFile,
                                           FaultedMemory::kSharedFile));

TEST(PageFaultTest, ADirectoryThatIsNotThereIsNamed) {
  PageFaultOptions options = ShortRun();
  options.memory = FaultedMemory::kSharedFile;
  options.directory = "/nonexistent/place";
  const absl::Status status = RunPageFault(options).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_NE(status.message().find("/nonexistent/place"), std::string::npos) << status;
}

TEST(PageFaultTest, MoreFilesThanTheFileSystemHoldsAreRefusedBeforeABusError) {
  PageFaultOptions options = ShortRun();
  options.memory = FaultedMemory::kSharedFile;
  options.task_count = 60'000;
  options.size_bytes = std::int64_t{1} << 40;
  EXPECT_TRUE(absl::IsResourceExhausted(RunPageFault(options).status()));
}

}  // namespace
}  // namespace regressd::agent
