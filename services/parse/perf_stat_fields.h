#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "services/parse/perf_stat.h"

namespace regressd::parse {

/// True for a number, also one with a decimal comma, and for <not counted> and <not supported>.
bool IsPerfValue(std::string_view field);

/// A count: sets value and status of `row`. False when `field` is none. Decimal commas are read.
bool ReadPerfCount(std::string_view field, PerfStatRow* row);

/// Which part of the machine `id` names: "S0-D0-C1" is a core.
std::string_view AggregateKind(std::string_view id);

struct CsvContext {
  char separator = ',';
  bool decimal_comma = false;  ///< Out: a number had one.
};

enum class CsvOutcome {
  kRow,
  kMetric,               ///< A further metric of the event before, in row->derived.
  kSplitByDecimalComma,  ///< Fields cannot be told apart.
  kMisfit,
};

/// Reads the fields of one row of `perf stat -x`:
///   [time|summary] [aggregate [cpus]] value unit event [cgroup] [variance%] run_ns share [metric
///   unit]
CsvOutcome ReadCsvFields(const std::vector<std::string_view>& fields, CsvContext* context,
                         PerfStatRow* row);

}  // namespace regressd::parse
