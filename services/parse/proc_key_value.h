#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/model/metric.h"
#include "services/model/time.h"
#include "services/parse/problem.h"

namespace regressd::parse {

/// One line of /proc/vmstat. `name` points into the text that was read.
struct ProcVmstatValue {
  std::string_view name;
  model::MetricKind kind = model::MetricKind::kGauge;
  std::uint64_t value = 0;      ///< A gauge below zero: 0.
  std::int64_t below_zero = 0;  ///< That gauge's reading, printed as -3 or as 2^64 - 3; else 0.
};

/// Reads successive snapshots of one machine's /proc/vmstat.
///
/// Full-range unsigned counters. A snapshot with one bad line is refused whole, naming every bad
/// line: half a snapshot makes false differences. A value whose name is none is left out. Warns,
/// once each, of a gauge below zero, of a kernel without event counters, and at each snapshot in
/// which the counters have fallen (a reboot). One thread.
class ProcVmstatReader {
 public:
  /// Replaces `*values` by those of `text`, in its order. False when it was refused; then `*values`
  /// is empty. `first_line` is the number of the text's first line within its file.
  bool Read(std::string_view text, std::vector<ProcVmstatValue>* values, int first_line = 1);

  /// What was found since the last call.
  Problems TakeProblems();

 private:
  /// What is remembered of the name at one position: kernels print the same names in the same
  /// order.
  struct Known {
    std::string name;
    model::MetricKind kind = model::MetricKind::kGauge;
    std::uint64_t last_value = 0;
    bool is_name = true;  ///< Otherwise its values are left out.
    bool seen = false;
    bool warned = false;
  };

  bool ReadLine(std::string_view line, int line_number, std::vector<ProcVmstatValue>* values);
  Known& Find(std::string_view name, std::size_t position);
  void CheckNames(const std::vector<ProcVmstatValue>& values);
  void CheckReset(const std::vector<ProcVmstatValue>& values, int first_line);

  std::vector<Known> known_;
  Problems problems_;
  bool checked_names_ = false;
};

/// One line of /proc/meminfo. Views into the text that was read.
struct MeminfoValue {
  std::string_view name;  ///< "MemFree", "Active(anon)", "HugePages_Total".
  std::uint64_t value = 0;
  bool kib = false;  ///< The line said kB, which means KiB there.
};

struct Meminfo {
  std::vector<MeminfoValue> values;
  Problems problems;
};

/// Lines that are not "Name: value [kB]" are refused, the others kept.
Meminfo ParseMeminfo(std::string_view text);

/// One line of a file of /proc/pressure or of a cgroup's *.pressure.
struct PressureLine {
  bool full = false;  ///< All tasks were stalled; false: some.
  double avg10 = 0;   ///< Percent of the last 10 seconds.
  double avg60 = 0;
  double avg300 = 0;
  std::uint64_t total_us = 0;  ///< Running total.
};

struct Pressure {
  std::vector<PressureLine> lines;
  Problems problems;
};

Pressure ParsePressure(std::string_view text);

/// One snapshot of a recording. `text` points into the recording.
struct RecordedSnapshot {
  model::Time time;
  std::string_view text;
  int first_line = 0;  ///< Of `text`, within the recording.
};

struct Recording {
  std::vector<RecordedSnapshot> snapshots;
  Problems problems;
};

/// Splits a recording in which each snapshot follows a line "### <seconds since 1970>". Text before
/// the first such line, and snapshots under a damaged one, are refused.
Recording SplitRecording(std::string_view text);

}  // namespace regressd::parse
