#pragma once

#include <cstdint>

#include "services/agent/workloads/task_group.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

/// What LKP makes of the tasks' "bytes / usecs = KB/s" lines of vm-scalability: throughput (sum of
/// the tasks' KB/s, a KB being 1024 bytes), median, stddev% (of the tasks, as a share of their
/// mean), free_time (mean seconds to give the memory back), workload (bytes); and each task's own
/// rate as observations. An operation of `measure` is `bytes_per_operation` bytes.
WorkloadResult DescribeThroughput(const GroupMeasure& measure, std::int64_t bytes_per_operation);

}  // namespace regressd::agent
