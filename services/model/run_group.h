#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/model/run.h"

namespace regressd::model {

/// The values of one metric over the runs of a group.
struct MetricValues {
  Metric metric;
  std::vector<double> values;           ///< In the order of the group's runs.
  std::vector<std::int32_t> run_index;  ///< The run of each value; a run without the metric is left out.
};

/// All runs that are equal in axes and commit.
struct RunGroup {
  Axes axes;
  Commit commit;
  std::vector<RunKey> runs;  ///< Complete and not excluded, by start time.
  std::int32_t failed_run_count = 0;
  std::int32_t excluded_run_count = 0;
  MachineFacts facts;                 ///< Of the first run, as the next two.
  std::vector<std::string> command;
  std::string job_toml;
  std::vector<StartLoad> start_loads;  ///< Of the runs whose facts have it.
  std::vector<LeftOut> left_out;       ///< Runs, and metrics of all runs, that cannot be read.
  std::vector<MetricValues> metrics;  ///< By name, byte order.
};

}  // namespace regressd::model
