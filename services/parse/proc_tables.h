#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "services/parse/problem.h"

namespace regressd::parse {

/// Takes one number of a file by the part of its metric's name that the file decides. The name is
/// valid during the call only. A number below zero is passed as the bits of its two's complement.
using TakeNumber = absl::FunctionRef<void(std::string_view name, std::uint64_t value)>;

/// Lines "name number", as of a node's vmstat, a cgroup's memory.stat and memory.events.
/// A line that is none is refused, the others are taken.
Problems ReadNameNumbers(std::string_view text, TakeNumber take);

/// A cgroup's memory.stat. That of version 1 says everything twice, of the cgroup and, as total_X,
/// of all below it too: the second is taken, as version 2 does, and under version 2's name X.
Problems ReadCgroupStat(std::string_view text, TakeNumber take);

/// A node's meminfo: "Node 0 MemFree:  123 kB". Names without the node: "MemFree".
Problems ReadNodeMeminfo(std::string_view text, TakeNumber take);

/// /proc/diskstats, of 11, 15 or 17 numbers a line. Names as LKP has them, field before device:
/// "read_ios.sda". `takes` chooses the devices.
Problems ReadDiskstats(std::string_view text, absl::FunctionRef<bool(std::string_view)> takes,
                       TakeNumber take);

/// /proc/zoneinfo, what reclaim goes by: "node0.Normal.pages.free" and min, low, high, boost,
/// managed, the zone's LRU lists, mlocked and write-pending pages, all in pages. Zones without
/// pages are left out.
Problems ReadZoneinfo(std::string_view text, TakeNumber take);

/// /proc/schedstat, versions 15 to 17, summed over CPUs: "run_time" and "run_delay" in ns,
/// "timeslices". Refused whole for another version.
Problems ReadSchedstat(std::string_view text, TakeNumber take);

/// /proc/swaps in KiB: "zram0.size", "zram0.used", by the last part of the device's path.
Problems ReadSwaps(std::string_view text, TakeNumber take);

/// One line of numbers with the names that its place gives them, as of zram's mm_stat; more numbers
/// than names are of a newer kernel and left out.
Problems ReadColumns(std::string_view text, const std::vector<std::string_view>& names,
                     TakeNumber take);

/// /proc/interrupts, each line summed over the CPUs, named as LKP does:
/// "LOC:Local_timer_interrupts", "36:PCI-MSI.1-edge.nvme0q1". One thread.
///
/// A big machine has thousands of device lines: those that had counted most at the first reading
/// have names of their own, the rest is summed as "other", so that nothing is lost.
class InterruptsReader {
 public:
  static constexpr std::size_t kMaxDeviceLines = 128;

  Problems Read(std::string_view text, TakeNumber take);

 private:
  struct Line {
    std::string_view id;
    std::string_view description;
    std::uint64_t total = 0;
  };

  bool ReadLine(std::string_view line, std::size_t cpu_count, Line* out);
  void Choose(const std::vector<Line>& lines);

  std::vector<Line> lines_;
  std::vector<std::string> chosen_;  ///< Ids of device lines, sorted.
  bool has_chosen_ = false;
  std::vector<std::string_view> words_;
  std::string name_;
};

/// The line "cpu" of /proc/stat in clock ticks, and what stands below it.
struct CpuStat {
  std::uint64_t user = 0;
  std::uint64_t nice = 0;
  std::uint64_t system = 0;
  std::uint64_t idle = 0;
  std::uint64_t iowait = 0;
  std::uint64_t irq = 0;
  std::uint64_t softirq = 0;
  std::uint64_t steal = 0;
  std::uint64_t guest = 0;  ///< Contained in user.
  std::uint64_t guest_nice = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t context_switches = 0;
  std::uint64_t procs_running = 0;
  std::uint64_t procs_blocked = 0;
};

/// Reads /proc/stat. An error when the line "cpu" or one of the counts is not there.
Problems ReadCpuStat(std::string_view text, CpuStat* out);

}  // namespace regressd::parse
