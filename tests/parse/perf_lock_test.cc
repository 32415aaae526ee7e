#include "services/parse/perf_lock.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace regressd::parse {
namespace {

TEST(PerfLockTest, ReadsTheTableOfPerf) {
  // Printed by perf 6.1.192 on Linux 6.18.
  const LockContentionText text = ParseLockContention(
      " contended   total wait     max wait     avg wait         type   caller\n\n"
      "        18    215.80 us     14.75 us     11.99 us     spinlock   call_timer_fn+0x29\n"
      "         8     42.20 ms     10.05 us      5.27 us     spinlock   folio_batch_move_lru+0x88\n"
      "         9     30.00 ns     16.80 us      3.36 us      rwsem:W   "
      "__page_cache_release.part.0+0x58\n"
      "rubbish\n"
      "=== output for debug===\n\nbad: 0, total: 42\n");
  ASSERT_EQ(text.places.size(), 3u);
  EXPECT_EQ(text.places[0].contended_count, 18);
  EXPECT_DOUBLE_EQ(text.places[0].total_wait_us, 215.8);
  EXPECT_EQ(text.places[0].type, "spinlock");
  EXPECT_DOUBLE_EQ(text.places[1].total_wait_us, 42200);
  EXPECT_EQ(text.places[1].function, "folio_batch_move_lru");
  EXPECT_DOUBLE_EQ(text.places[2].total_wait_us, 0.03);
  EXPECT_EQ(text.places[2].function, "__page_cache_release");
  ASSERT_EQ(text.problems.size(), 1u);
  EXPECT_EQ(text.problems[0].line, 6);
}

TEST(PerfLockTest, TellsTheLockByWhoWaits) {
  // mm/swap.c, mm/vmscan.c, mm/swapfile.c, mm/page_alloc.c, arch/x86/mm/fault.c.
  EXPECT_EQ(LockOf("folio_batch_move_lru"), "lru_lock");
  EXPECT_EQ(LockOf("shrink_inactive_list"), "lru_lock");
  EXPECT_EQ(LockOf("get_swap_pages"), "swap");
  EXPECT_EQ(LockOf("swap_range_free"), "swap");
  EXPECT_EQ(LockOf("rmqueue_bulk"), "zone_lock");
  EXPECT_EQ(LockOf("do_user_addr_fault"), "mmap_lock");
  EXPECT_EQ(LockOf("call_timer_fn"), "other");
  EXPECT_EQ(LockOf(""), "other");
}

TEST(PerfLockTest, EveryLockThatIsToldIsNamed) {
  for (const char* function :
       {"lru_add", "swap_free", "rmqueue", "zs_malloc", "exit_mmap", "zap_pte_range",
        "anon_vma_fork", "mem_cgroup_css_rstat_flush", "x"}) {
    EXPECT_EQ(std::count(LockNames().begin(), LockNames().end(), LockOf(function)), 1) << function;
  }
}

}  // namespace
}  // namespace regressd::parse
