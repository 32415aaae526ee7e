#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regressd::parse {

/// One record of /dev/kmsg.
struct KmsgRecord {
  bool from_kernel = true;  ///< Otherwise a program wrote it there.
  int level = 0;            ///< 0 emergency to 7 debug.
  std::uint64_t sequence = 0;
  std::chrono::microseconds time{0};  ///< Since boot, on the kernel log's clock.
  std::string message;                ///< Its escapes undone; no line break.
};

/// Reads "4,1234,5678901,-;text" with the lines of key=value that may follow it, which are left
/// out. False when it is none.
bool ParseKmsgRecord(std::string_view record, KmsgRecord* out);

/// What the kernel complained of.
enum class KernelTrouble {
  kOom,
  kOops,  ///< Oops, general protection fault, panic; the kernel is not to be trusted any more.
  kBug,
  kWarning,
  kHungTask,
  kLockup,  ///< Soft or hard, of a CPU or a workqueue.
  kRcuStall,
  kLockdep,
  kAllocationFailure,
};

/// "oom", "oops", "bug", ...
std::string_view ToString(KernelTrouble trouble);

struct KernelComplaint {
  KernelTrouble trouble = KernelTrouble::kWarning;
  /// LKP's name without "dmesg.": numbers as '#', words joined by '_', the same for the same fault
  /// on every machine: "WARNING:at_mm/vmscan.c:#shrink_lruvec". At most 200 bytes.
  std::string id;
};

/// What a line of the kernel log complains of, if anything. Takes the messages of Linux 4.x to
/// 6.18, with or without dmesg's time and caller in front. Lines that explain a complaint made
/// before (registers, call traces) are none, except RIP, which LKP counts by itself.
std::optional<KernelComplaint> ReadKernelLine(std::string_view line);

/// Where memory ran out when the kernel killed a task for it. Paths are the machine's own.
struct OomKill {
  std::string limit_cgroup;  ///< Whose limit was reached; empty: the machine's own memory.
  std::string task_cgroup;   ///< Of the task that was killed.
};

/// Reads "oom-kill:constraint=...,oom_memcg=/a,task_memcg=/a/b,task=..." of Linux 5.0 and newer,
/// and "Task in /a/b killed as a result of limit of /a" of older ones.
std::optional<OomKill> ReadOomKill(std::string_view line);

}  // namespace regressd::parse
