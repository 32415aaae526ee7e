#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace regressd::agent {

/// One result line: "name value [unit] higher|lower|neither" on stdout.
struct ResultLine {
  std::string name;
  double value = 0;
  std::string unit;
  std::string better = "neither";
};

/// Values of single operations of one metric.
struct ObservedValues {
  std::string name;
  std::string unit;
  std::string better;
  std::vector<double> values;
};

/// What a workload measured. Its check failed when it returns a status instead.
struct WorkloadResult {
  std::vector<ResultLine> lines;
  std::vector<ObservedValues> observations;
};

/// Prints the lines to stdout; writes the observations to `observations_file` unless it is empty.
absl::Status Publish(const WorkloadResult& result, const std::filesystem::path& observations_file);

}  // namespace regressd::agent
