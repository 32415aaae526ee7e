#include "services/parse/kernel_log.h"

#include <gtest/gtest.h>

namespace regressd::parse {
namespace {

/// "trouble id" of a line, or "" for none.
std::string Read(std::string_view line) {
  const std::optional<KernelComplaint> complaint = ReadKernelLine(line);
  if (!complaint) return "";
  return std::string(ToString(complaint->trouble)) + " " + complaint->id;
}

TEST(KernelLogTest, NamesComplaintsAsTheMailsOfLkpDo) {
  // Names as in LKP's reports on the kernel's list; lines as the kernel's sources print them
  // (kernel/panic.c, kernel/watchdog.c, kernel/hung_task.c, mm/oom_kill.c,
  // kernel/rcu/tree_stall.h).
  EXPECT_EQ(Read("watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [usemem:1234]"),
            "lockup BUG:soft_lockup-CPU##stuck_for#s![usemem:#]");
  EXPECT_EQ(Read("INFO: task kswapd0:123 blocked for more than 120 seconds."),
            "hung_task INFO:task_blocked_for_more_than#seconds");
  EXPECT_EQ(Read("usemem invoked oom-killer: gfp_mask=0x1100cca(GFP_HIGHUSER_MOVABLE), order=0, "
                 "oom_score_adj=0"),
            "oom invoked_oom-killer:gfp_mask=0x");
  EXPECT_EQ(Read("Kernel panic - not syncing: softlockup: hung tasks"),
            "oops Kernel_panic-not_syncing:softlockup:hung_tasks");
  EXPECT_EQ(Read("BUG: sleeping function called from invalid context at kernel/nsproxy.c:233"),
            "bug BUG:sleeping_function_called_from_invalid_context_at_kernel/nsproxy.c");
  EXPECT_EQ(Read("BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 36s!"),
            "lockup BUG:workqueue_lockup-pool");
  EXPECT_EQ(Read("WARNING: possible recursive locking detected"),
            "lockdep WARNING:possible_recursive_locking_detected");
  EXPECT_EQ(Read("Out of memory and no killable processes..."),
            "oom Out_of_memory_and_no_killable_processes");
  EXPECT_EQ(Read("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks: { 1-...D } 21 jiffies"),
            "rcu_stall INFO:rcu_preempt_detected_stalls_on_CPUs/tasks");
  EXPECT_EQ(Read("Oops: 0000 [#1] PREEMPT SMP PTI"), "oops Oops:#[##]");
  EXPECT_EQ(
      Read("kworker/0:1: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP), "
           "nodemask=(null),cpuset=/,mems_allowed=0"),
      "allocation_failure "
      "page_allocation_failure:order:#,mode:#(GFP_KERNEL|__GFP_COMP),nodemask=(null)");
}

TEST(KernelLogTest, AWarningHasOneNameInTheOldAndTheNewForm) {
  const char* name = "warning WARNING:at_mm/vmscan.c:#shrink_lruvec";
  EXPECT_EQ(Read("WARNING: CPU: 2 PID: 77 at mm/vmscan.c:5512 shrink_lruvec+0x3a/0x9c0"), name);
  EXPECT_EQ(Read("WARNING: CPU: 0 PID: 1 at mm/vmscan.c:4 shrink_lruvec.isra.0+0x3a/0x9c0 [a]"),
            name);
  // Linux 6.18, lib/bug.c.
  EXPECT_EQ(Read("WARNING: mm/vmscan.c:5601 at shrink_lruvec+0x3a/0x9c0, CPU#2: kswapd0/77"), name);
}

TEST(KernelLogTest, FaultsOfSeveralReleasesAreSeen) {
  EXPECT_EQ(Read("BUG: kernel NULL pointer dereference, address: 0000000000000008"),
            "oops BUG:kernel_NULL_pointer_dereference,address");
  EXPECT_EQ(Read("BUG: unable to handle page fault for address: ffffc90000a3f000"),
            "oops BUG:unable_to_handle_page_fault_for_address");
  EXPECT_EQ(Read("kernel BUG at mm/swapfile.c:1234!"), "bug kernel_BUG_at_mm/swapfile.c");
  EXPECT_EQ(Read("BUG: KASAN: slab-use-after-free in folio_lruvec_lock_irq+0x12/0x40"),
            "bug BUG:KASAN:slab-use-after-free_in_folio_lruvec_lock_irq");
  EXPECT_EQ(Read("Oops: general protection fault, probably for non-canonical address "
                 "0xdffffc0000000003: 0000 [#1] SMP KASAN"),
            "oops Oops:general_protection_fault,probably_for_non-canonical_address#:#[##]");
  EXPECT_EQ(Read("RIP: 0010:native_queued_spin_lock_slowpath+0x21b/0x2a0"),
            "warning RIP:native_queued_spin_lock_slowpath");
  EXPECT_EQ(Read("watchdog: Watchdog detected hard LOCKUP on cpu 3"),
            "lockup Watchdog_detected_hard_LOCKUP_on_cpu");
  EXPECT_EQ(Read("Memory cgroup out of memory: Killed process 812 (usemem) total-vm:1kB"),
            "oom Memory_cgroup_out_of_memory:Killed_process");
  EXPECT_EQ(Read("[ INFO: possible circular locking dependency detected ]"),
            "lockdep INFO:possible_circular_locking_dependency_detected");
}

TEST(KernelLogTest, TheSameFaultOnAnotherDayHasTheSameName) {
  EXPECT_EQ(Read("[  12.345678][  T812] BUG: Bad rss-counter state mm:000000000fb13173 "
                 "type:MM_ANONPAGES val:3"),
            Read("[90412.000001] BUG: Bad rss-counter state mm:00000000aaaabbbb "
                 "type:MM_ANONPAGES val:17"));
  EXPECT_EQ(Read("WARNING: zram0: write failed 12"), Read("WARNING: zram12: write failed 7"));
}

TEST(KernelLogTest, HarmlessLinesAreNoComplaints) {
  for (const char* line : {"", "zram: Added device: zram1",
                           "Adding 262140k swap on /dev/zram1.  Priority:-2 extents:1",
                           "---[ end Kernel panic - not syncing: Fatal exception ]---",
                           "Call Trace:", " ? shrink_lruvec+0x3a/0x9c0", "RIP: 0033:0x7f12f3d1",
                           "[ cut here ]------------", "EXT4-fs (vda): mounted filesystem",
                           "audit: type=1400 op=\"debug\"", "Code: 48 8b 45 00 [90]"}) {
    EXPECT_EQ(Read(line), "") << line;
  }
}

TEST(KernelLogTest, ReadsARecordOfKmsgWithItsEscapesAndDictionary) {
  // Documentation/ABI/testing/dev-kmsg.
  KmsgRecord record;
  ASSERT_TRUE(ParseKmsgRecord("4,1093,140900,-;r8169: caf\\xc3\\xa9 up\n SUBSYSTEM=net\n DEVICE=n2",
                              &record));
  EXPECT_EQ(record.level, 4);
  EXPECT_TRUE(record.from_kernel);
  EXPECT_EQ(record.sequence, 1093u);
  EXPECT_EQ(record.time, std::chrono::microseconds(140900));
  EXPECT_EQ(record.message, "r8169: caf\xc3\xa9 up");
  // 30 = facility 3 (daemon), level 6.
  ASSERT_TRUE(ParseKmsgRecord("30,5,12,-;systemd[1]: BUG: no", &record));
  EXPECT_FALSE(record.from_kernel);
  EXPECT_EQ(record.level, 6);
  EXPECT_TRUE(ParseKmsgRecord("6,339,5140900,-,caller=T1;NET: registered", &record));
  for (const char* text : {"", "x", "4,5", "4,5,6", "a,5,6,-;t", "4,-1,6,-;t", ";"}) {
    EXPECT_FALSE(ParseKmsgRecord(text, &record)) << text;
  }
}

TEST(KernelLogTest, ALineWithoutEndIsCut) {
  const std::string id = ReadKernelLine("BUG: " + std::string(100'000, 'x'))->id;
  EXPECT_EQ(id.size(), 200u);
}

}  // namespace
}  // namespace regressd::parse
