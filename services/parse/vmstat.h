#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "services/model/time.h"
#include "services/parse/problem.h"

namespace regressd::parse {

/// What the text of vmstat does not say of itself.
struct VmstatOptions {
  std::int64_t unit_bytes = 1024;  ///< Of the memory and swap columns: UnitBytes() of vmstat's -S.
  bool has_since_boot_row = true;  ///< False when vmstat ran with -y.
  /// Zone of the time column; overrides the word in the header, of which only UTC, GMT and Z are
  /// understood: other words name several zones.
  std::optional<absl::TimeZone> time_zone = std::nullopt;
};

/// Bytes of a letter of vmstat's -S: k 1000, K 1024, m 1000000, M 1048576. nullopt for another
/// text.
std::optional<std::int64_t> UnitBytes(std::string_view letter);

struct VmstatColumn {
  std::string name;    ///< As vmstat prints it: "swpd".
  std::string metric;  ///< "vmstat.memory.swpd"; unknown names become "vmstat.other.<name>".
  /// Metric value = printed integer * scale. The memory columns are in KiB and si, so in KiB/s
  /// whatever -S was; bi and bo are never scaled by vmstat.
  double scale = 1;
  std::int64_t unit_bytes =
      0;  ///< Bytes of a printed 1; 0 for a column that counts something else.
};

/// The columns of one header.
struct VmstatLayout {
  std::vector<VmstatColumn> columns;
  bool has_time = false;
  std::string zone_text;  ///< As in the header: "UTC".

  friend bool operator==(const VmstatLayout& a, const VmstatLayout& b);
};

struct VmstatSample {
  int line = 0;
  bool since_boot = false;           ///< Averages since boot: not an interval.
  int layout = 0;                    ///< Index in the reader's layouts().
  std::vector<std::int64_t> values;  ///< As printed, one a column.
  std::string time_text;             ///< "2026-11-30 17:30:53"; empty without -t.
  std::optional<model::Time> time;   ///< Of time_text; unset when its zone is not known.
};

/// Reads vmstat's output line by line, in all of its layouts (-a, -n, -t, -w, gu column, any -S).
///
/// Columns come from the latest header; repeated headers are no data. A row whose fields do not fit
/// its header is refused by its line number, never shifted. Modes without intervals (-m, -s, -d,
/// -D, -p) are refused as a whole: `refused()` turns true and later lines are ignored. One thread.
class VmstatReader {
 public:
  explicit VmstatReader(VmstatOptions options = {}) : options_(options) {}

  /// Takes one line without its end. The sample of it, valid until the next call; null when it has
  /// none.
  const VmstatSample* Feed(std::string_view line);

  /// A new entry appears only when a header differs from all earlier ones: in practice there is
  /// one.
  const std::vector<VmstatLayout>& layouts() const { return layouts_; }
  bool refused() const { return refused_; }
  /// What was found since the last call.
  Problems TakeProblems();

 private:
  bool ReadHeader(std::string_view line);
  const VmstatSample* ReadRow(std::string_view line);
  bool ReadTime(const VmstatLayout& layout);
  void Refuse(std::string code, const std::string& message);

  VmstatOptions options_;
  std::vector<VmstatLayout> layouts_;
  VmstatSample sample_;
  Problems problems_;
  std::vector<std::string_view> fields_;
  int line_number_ = 0;
  int current_layout_ = -1;
  bool saw_row_ = false;
  bool refused_ = false;
};

struct VmstatText {
  std::vector<VmstatLayout> layouts;
  std::vector<VmstatSample> samples;  ///< Since-boot row included, flagged.
  Problems problems;
};

/// The whole of a recording. Also refuses a text without any header.
VmstatText ParseVmstat(std::string_view text, VmstatOptions options = {});

}  // namespace regressd::parse
