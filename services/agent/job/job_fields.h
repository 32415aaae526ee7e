#pragma once

#include <string>
#include <vector>

#include "services/agent/job/job.h"
#include "services/agent/job/table_reader.h"

namespace regressd::agent {

/// The keys of a job's table, read into `job`, which outlives them; `file` stands in messages.
std::vector<TomlField> JobFields(Job* job, const std::string& file);

}  // namespace regressd::agent
