#pragma once

#include <span>
#include <string>

#include "services/agent/job/series_state.h"

namespace regressd::agent {

/// For the steps of an A/A series: each result's mean and sample standard deviation in percent of
/// it over all runs, and how far the means of A and A' lie apart. Runs that failed are left out,
/// and counted. Empty when nothing was measured.
std::string NoiseTable(std::span<const DoneStep> steps);

}  // namespace regressd::agent
