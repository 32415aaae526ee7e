#pragma once

#include "storage/reduced_values.h"
#include "tests/support/memory_state.h"

namespace regressd::test {

/// The run values of a run that ends.
storage::ReducedValues ReduceRun(const StoredRun& run);

}  // namespace regressd::test
