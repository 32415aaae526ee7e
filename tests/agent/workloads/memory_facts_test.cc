#include "services/agent/workloads/memory_facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "services/agent/private_directory.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeminfo =
    "MemTotal:       24731904 kB\nMemFree:        19786752 kB\nMemAvailable:   23502848 kB\n"
    "SwapTotal:       1048572 kB\nSwapFree:         524284 kB\nHugePages_Total:       0\n";

/// A /proc and a cgroup file system of a machine that is not this one.
class MemoryFactsTest : public ::testing::Test {
 protected:
  MemoryFactsTest() { Write("proc/meminfo", kMeminfo); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text;
  }
  MemoryFacts Read() { return *ReadMemoryFacts(root()); }
  const fs::path& root() const { return directory_.path(); }

 private:
  PrivateDirectory directory_ = *PrivateDirectory::Create();
};

TEST_F(MemoryFactsTest, AMachineWithoutCgroupsHasNoLimit) {
  const MemoryFacts facts = Read();
  EXPECT_EQ(facts.total_bytes, 24731904LL * 1024);
  EXPECT_EQ(facts.available_bytes, 23502848LL * 1024);
  EXPECT_EQ(facts.swap_total_bytes, 1048572LL * 1024);
  EXPECT_EQ(facts.swap_free_bytes, 524284LL * 1024);
  EXPECT_EQ(facts.limit_bytes, std::nullopt);
  EXPECT_EQ(facts.swap_limit_bytes, std::nullopt);
}

TEST_F(MemoryFactsTest, OnV2TheTightestLimitOfTheOwnCgroupAndItsParentsCounts) {
  Write("proc/self/cgroup", "0::/runs/one\n");
  Write("proc/self/mountinfo",
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  Write("sys/fs/cgroup/runs/one/memory.max", "max\n");
  Write("sys/fs/cgroup/runs/one/memory.swap.max", "134217728\n");
  Write("sys/fs/cgroup/runs/memory.max", "536870912\n");
  Write("sys/fs/cgroup/runs/memory.swap.max", "max\n");
  const MemoryFacts facts = Read();
  EXPECT_EQ(facts.limit_bytes, 512LL << 20);
  EXPECT_EQ(facts.limit_file, (root() / "sys/fs/cgroup/runs/memory.max").string());
  EXPECT_EQ(facts.swap_limit_bytes, 128LL << 20);
}

TEST_F(MemoryFactsTest, OnV1SwapIsWhatMemswLeavesBeyondMemory) {
  Write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/runs/one\n1:cpu:/\n0::/\n");
  Write("proc/self/mountinfo",
        "31 30 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "35 30 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "40 30 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  Write("sys/fs/cgroup/memory/runs/one/memory.limit_in_bytes", "67108864\n");
  Write("sys/fs/cgroup/memory/runs/one/memory.memsw.limit_in_bytes", "201326592\n");
  // What v1 says in place of "no limit".
  Write("sys/fs/cgroup/memory/runs/memory.limit_in_bytes", "9223372036854771712\n");
  Write("sys/fs/cgroup/memory/runs/memory.memsw.limit_in_bytes", "9223372036854771712\n");
  const MemoryFacts facts = Read();
  EXPECT_EQ(facts.limit_bytes, 64LL << 20);
  EXPECT_EQ(facts.swap_limit_bytes, 128LL << 20);
}

TEST_F(MemoryFactsTest, AMountOfASubtreeIsLookedThrough) {
  // A container sees its own cgroup as the mount's root.
  Write("proc/self/cgroup", "0::/box/7/inner\n");
  Write("proc/self/mountinfo", "30 23 0:26 /box/7 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  Write("sys/fs/cgroup/memory.max", "1073741824\n");
  Write("sys/fs/cgroup/inner/memory.max", "2147483648\n");
  EXPECT_EQ(Read().limit_bytes, 1024LL << 20);
}

TEST_F(MemoryFactsTest, APathOutsideTheMountFallsBackToTheMount) {
  Write("proc/self/cgroup", "0::/elsewhere\n");
  Write("proc/self/mountinfo", "30 23 0:26 /box/7 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  Write("sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(Read().limit_bytes, 1024LL << 20);
}

TEST_F(MemoryFactsTest, SwapCountsDevicesZswapAndZerosButNoPageTwice) {
  // 700 to zswap, of which 50 went on to the device and so are among the 100 there.
  Write("proc/vmstat",
        "pswpin 10\npswpout 100\nswpin_zero 3\nswpout_zero 7\nzswpin 40\nzswpout 700\nzswpwb 50\n");
  const absl::StatusOr<SwapCounters> counters = ReadSwapCounters(root());
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_EQ(counters->pages_out, 100 + 700 - 50 + 7);
  EXPECT_EQ(counters->pages_in, 10 + 40 + 3);
}

TEST_F(MemoryFactsTest, AKernelWithoutSwapIsNamed) {
  Write("proc/vmstat", "pgfault 12\n");
  const absl::Status status = ReadSwapCounters(root()).status();
  EXPECT_NE(status.message().find("CONFIG_SWAP"), std::string::npos) << status;
}

}  // namespace
}  // namespace regressd::agent
