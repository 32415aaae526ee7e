#pragma once

#include <span>

#include "services/model/run_group.h"

namespace regressd::analysis {

/// A profile's shares below 0.05 % are not kept (ProfileShares), so a run that has some share of an
/// event has measured the others as next to none: it gets 0 for each share of that event that
/// another run of `groups` has. A run without a profile of the event gets nothing.
void FillAbsentShares(std::span<model::RunGroup> groups);

}  // namespace regressd::analysis
