#pragma once

#include <vector>

#include "storage/run_store.h"
#include "tests/support/memory_state.h"

namespace regressd::test {

/// The run values of a run that ends, by metric name.
std::vector<storage::RunValue> ReduceRun(const StoredRun& run);

}  // namespace regressd::test
