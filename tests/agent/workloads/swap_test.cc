#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "services/agent/private_directory.h"
#include "services/agent/workloads/page_content.h"
#include "services/agent/workloads/swap_fill.h"
#include "services/agent/workloads/swap_plan.h"
#include "services/agent/workloads/swap_rounds.h"

namespace regressd::agent {
namespace {

constexpr std::int64_t kMib = 1024 * 1024;

/// 16 GiB of memory, 2 GiB of free swap, a cgroup with 512 MiB.
MemoryFacts Limited() {
  return {.total_bytes = 16384 * kMib,
          .available_bytes = 15000 * kMib,
          .swap_total_bytes = 2048 * kMib,
          .swap_free_bytes = 2048 * kMib,
          .limit_bytes = 512 * kMib,
          .limit_file = "/sys/fs/cgroup/x/memory.max"};
}

TEST(SwapPlanTest, TwiceTheLimitIsFilled) {
  const absl::StatusOr<SwapPlan> plan = PlanSwap(Limited(), 0);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->size_bytes, 1024 * kMib);
  EXPECT_EQ(plan->memory_bytes, 512 * kMib);
}

TEST(SwapPlanTest, LittleSwapIsFilledToThreeQuarters) {
  MemoryFacts facts = Limited();
  facts.swap_free_bytes = 400 * kMib;
  EXPECT_EQ(PlanSwap(facts, 0)->size_bytes, (512 + 300) * kMib);
  facts.swap_limit_bytes = 40 * kMib;
  EXPECT_EQ(PlanSwap(facts, 0)->size_bytes, (512 + 30) * kMib);
}

TEST(SwapPlanTest, WithoutALimitNothingIsFilledUnlessAskedFor) {
  MemoryFacts facts = Limited();
  facts.limit_bytes.reset();
  EXPECT_TRUE(absl::IsInvalidArgument(PlanSwap(facts, 0).status()));
  EXPECT_EQ(PlanSwap(facts, 16000 * kMib)->memory_bytes, 15000 * kMib);
  // Above what the machine has, a limit is none.
  facts.limit_bytes = 20000 * kMib;
  EXPECT_TRUE(absl::IsInvalidArgument(PlanSwap(facts, 0).status()));
}

TEST(SwapPlanTest, WhatFitsIntoMemoryIsRefused) {
  const absl::Status status = PlanSwap(Limited(), 512 * kMib).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_NE(status.message().find("/sys/fs/cgroup/x/memory.max"), std::string::npos) << status;
}

TEST(SwapPlanTest, WhatMemoryAndSwapDoNotHoldIsRefused) {
  EXPECT_TRUE(PlanSwap(Limited(), (512 + 2048) * kMib).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(PlanSwap(Limited(), (512 + 2048) * kMib + 1).status()));
  EXPECT_TRUE(CheckSwapHolds(Limited(), 2048 * kMib).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(CheckSwapHolds(Limited(), 2048 * kMib + 1)));
}

TEST(SwapPlanTest, ACgroupThatMayNotSwapIsNamed) {
  MemoryFacts facts = Limited();
  facts.swap_limit_bytes = 0;
  facts.swap_limit_file = "/sys/fs/cgroup/x/memory.swap.max";
  const absl::Status status = PlanSwap(facts, 0).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_NE(status.message().find("/sys/fs/cgroup/x/memory.swap.max"), std::string::npos) << status;
}

TEST(SwapPlanTest, TrafficBelowNineTenthsOfWhatIsExpectedFails) {
  EXPECT_TRUE(CheckTraffic({.expected_pages = 1000, .counted_pages = 900}, "swapped out").ok());
  const absl::Status status =
      CheckTraffic({.expected_pages = 1000, .counted_pages = 899}, "swapped out");
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_NE(status.message().find("1000 pages should have been swapped out"), std::string::npos);
  EXPECT_NE(status.message().find("only 899"), std::string::npos);
}

/// A machine like any without swap, whatever the one that runs this has.
class WithoutSwapTest : public ::testing::Test {
 protected:
  WithoutSwapTest() {
    std::filesystem::create_directories(root() / "proc");
    std::ofstream(root() / "proc/meminfo")
        << "MemTotal: 1048576 kB\nMemAvailable: 1000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n";
    std::ofstream(root() / "proc/vmstat") << "pswpin 0\npswpout 0\n";
  }
  const std::filesystem::path& root() const { return directory_.path(); }

 private:
  PrivateDirectory directory_ = *PrivateDirectory::Create();
};

TEST_F(WithoutSwapTest, FillingSaysThatNoSwapIsOn) {
  const absl::Status status = RunSwapFill({.root = root()}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_TRUE(std::string(status.message()).starts_with("no swap is on: ")) << status;
}

TEST_F(WithoutSwapTest, RoundsSayThatNoSwapIsOn) {
  const absl::Status status = RunSwapRounds({.root = root()}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_TRUE(std::string(status.message()).starts_with("no swap is on: ")) << status;
}

/// A machine whose files say that there is swap, but whose counters never move.
TEST_F(WithoutSwapTest, PagesThatTheKernelDidNotCountFailTheRun) {
  std::ofstream(root() / "proc/meminfo")
      << "MemTotal: 1048576 kB\nMemAvailable: 512 kB\nSwapTotal: 8192 kB\nSwapFree: 8192 kB\n";
  for (const SwapAccess access : {SwapAccess::kWriteSequential, SwapAccess::kWriteRandom}) {
    const absl::Status status =
        RunSwapFill({.access = access, .task_count = 2, .size_bytes = 2 * kMib, .root = root()})
            .status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_NE(status.message().find("384 pages should have been swapped out"), std::string::npos)
        << status;
  }
}

TEST_F(WithoutSwapTest, TooShortARuntimeIsSaidToBeSo) {
  std::ofstream(root() / "proc/meminfo") << "MemTotal: 4194304 kB\nMemAvailable: 2097152 kB\n"
                                            "SwapTotal: 2097152 kB\nSwapFree: 2097152 kB\n";
  const absl::Status status = RunSwapFill({.access = SwapAccess::kWriteRandom,
                                           .size_bytes = 3072 * kMib,
                                           .runtime = std::chrono::milliseconds(0),
                                           .root = root()})
                                  .status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_NE(status.message().find("--runtime"), std::string::npos) << status;
}

TEST(PageContentTest, IndexIsTheIndexAndZeroIsZero) {
  EXPECT_EQ(ContentSource(PageContent::kIndex).Word(12345), 12345u);
  EXPECT_EQ(ContentSource(PageContent::kZero).Word(12345), 0u);
}

TEST(PageContentTest, RandomIsSplitmix64) {
  // The first outputs for seed 0 of the reference splitmix64.c (Vigna, prng.di.unimi.it).
  const ContentSource source(PageContent::kRandom, 0);
  EXPECT_EQ(source.Word(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(source.Word(1), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(source.Word(2), 0x06c45d188009454fu);
}

TEST(PageContentTest, DrawsStayBelowTheirBoundAndReachAllOfIt) {
  const ContentSource source(PageContent::kRandom, 7);
  std::array<int, 8> hits = {};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t drawn = source.Draw(i, hits.size());
    ASSERT_LT(drawn, hits.size());
    ++hits[drawn];
  }
  for (const int count : hits) EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace regressd::agent
