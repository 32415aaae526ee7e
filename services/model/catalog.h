#pragma once

#include <string_view>

#include "services/model/metric.h"

namespace regressd::model {

/// What the product knows of a metric by its name.
struct CatalogEntry {
  bool known = false;  ///< False: a rule of thumb; stored and shown, never gates.
  std::string_view unit = "";
  MetricKind kind = MetricKind::kGauge;
  Better better = Better::kNeither;
  Reduction reduction = Reduction::kMean;
  bool headline = false;              ///< A result of a workload: vm-scalability.throughput.
  double min_relative_change = 0.02;  ///< Smaller changes are no change.
  double min_absolute_change = 0;
  double min_level = 0;  ///< Below on both sides: noise of small numbers.
};

/// Looks up a full metric name ("proc-vmstat.pswpout"). Sources: lkp.md 2.3 and 4.4, detection.md
/// a.1, and the kernel's mm/vmstat.c for which of /proc/vmstat's names are running totals.
CatalogEntry Lookup(std::string_view metric_name);

/// The metric as an agent declares it: the entry's unit, kind, better and reduction under
/// `metric_name`.
Metric Declare(std::string_view metric_name);

}  // namespace regressd::model
