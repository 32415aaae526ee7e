#pragma once

#include <string>
#include <vector>

#include "services/dashboard/html.h"
#include "services/model/comparison.h"
#include "services/model/run.h"

namespace regressd::dashboard {

struct FactsColumn {
  std::string name;
  const model::MachineFacts* facts = nullptr;
};

/// What must be known before a table is believed: facts, command and job settings that differ, and
/// runs before which the machine was busy. Nothing when there is nothing to say.
void SetupNotes(Html& html, const model::ComparisonBlock& block);

/// Machine facts side by side; rows that differ come first and say so, but for the kernel and its
/// boot, which are what is compared. Facts that no column knows
/// are left out.
void FactsTable(Html& html, const std::vector<FactsColumn>& columns);

}  // namespace regressd::dashboard
