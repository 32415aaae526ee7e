#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/agent/job/job.h"

namespace regressd::agent {

/// Reads a job in TOML; `file` stands in messages.
/// Errors: InvalidArgument, "file:line: what is wrong and what to write instead".
absl::StatusOr<Job> ParseJob(std::string_view text, const std::string& file);

/// Errors: as ParseJob; NotFound.
absl::StatusOr<Job> ReadJobFile(const std::string& file);

/// The job as TOML that ParseJob reads back to the same job. The same jobs have the same text.
std::string JobText(const Job& job);

}  // namespace regressd::agent
