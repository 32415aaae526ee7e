#include "services/agent/workloads/workload.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

namespace regressd::agent {

absl::Status Publish(const WorkloadResult& result, const std::filesystem::path& observations_file) {
  for (const ResultLine& line : result.lines) {
    fmt::print("{} {}{}{} {}\n", line.name, line.value, line.unit.empty() ? "" : " ", line.unit,
               line.better);
  }
  std::fflush(stdout);
  if (observations_file.empty()) return absl::OkStatus();
  std::ofstream file(observations_file);
  for (const ObservedValues& observed : result.observations) {
    file << fmt::format("# {} {} {}\n", observed.name, observed.unit, observed.better);
    for (const double value : observed.values) file << fmt::format("{}\n", value);
  }
  file.flush();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("cannot write the observations to {}", observations_file.string()));
}

}  // namespace regressd::agent
