#pragma once

#include <string>
#include <vector>

#include "services/dashboard/html.h"
#include "services/model/run.h"

namespace regressd::dashboard {

struct FactsColumn {
  std::string name;
  const model::MachineFacts* facts = nullptr;
};

/// Machine facts side by side; rows that differ come first and say so, but for the kernel and its
/// boot, which are what is compared. Facts that no column knows
/// are left out.
void FactsTable(Html& html, const std::vector<FactsColumn>& columns);

}  // namespace regressd::dashboard
