#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/job/job.h"
#include "services/agent/run_session.h"

namespace regressd::agent {

/// What `run` and `collect` make of a job that does not say everything.
struct JobDefaults {
  std::string kernel_release;                      ///< Taken as the commit of a watch.
  std::vector<std::string> without_monitors = {};  ///< Taken off the job's; "all" takes off all.
};

/// The job with everything said that makes a difference to its runs: monitors by name, sizes in
/// their one spelling. What is left at its default and changes nothing is left out.
/// Errors: InvalidArgument for monitors that there are not, and what JobSetupOptions refuses.
absl::StatusOr<Job> CompleteJob(Job job, const JobDefaults& defaults);

/// A plan for the runs of a complete job on this machine, without delivery. Each run carries the
/// job's text, so that it can be run again.
/// Errors: InvalidArgument as JobAxes, JobCommit; FailedPrecondition on another kernel than the job
/// expects.
absl::StatusOr<RunPlan> PlanOf(const Job& job, const model::MachineFacts& facts);

}  // namespace regressd::agent
