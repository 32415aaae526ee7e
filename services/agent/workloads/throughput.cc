#include "services/agent/workloads/throughput.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace regressd::agent {
namespace {

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Divides by n, as LKP does over the tasks of one run: they are all there are.
double StddevPercent(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = Sum(values) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean > 0 ? 100 * std::sqrt(squares / count) / mean : 0;
}

}  // namespace

WorkloadResult DescribeThroughput(const GroupMeasure& measure, std::int64_t bytes_per_operation) {
  std::vector<double> rates_kb;
  double bytes = 0;
  double release_seconds = 0;
  for (const TaskMeasure& task : measure.tasks) {
    const auto task_bytes =
        static_cast<double>(task.total_operations) * static_cast<double>(bytes_per_operation);
    bytes += task_bytes;
    release_seconds += task.release_seconds;
    rates_kb.push_back(task.work_seconds > 0 ? task_bytes / 1024 / task.work_seconds : 0);
  }
  const auto count = static_cast<double>(rates_kb.size());
  WorkloadResult result;
  result.lines = {
      {.name = "throughput", .value = Sum(rates_kb), .unit = "KB/s", .better = "higher"},
      {.name = "median", .value = Median(rates_kb), .unit = "KB/s", .better = "higher"},
      {.name = "stddev%", .value = StddevPercent(rates_kb), .unit = "%", .better = "neither"},
      {.name = "free_time", .value = release_seconds / count, .unit = "s", .better = "neither"},
      {.name = "workload", .value = bytes, .unit = "B", .better = "neither"}};
  // Their sum is what is judged; how it is shared out only explains.
  result.observations = {{.name = "task_throughput",
                          .unit = "KB/s",
                          .better = "neither",
                          .values = std::move(rates_kb)}};
  return result;
}

}  // namespace regressd::agent
