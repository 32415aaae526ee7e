#pragma once

#include <string>
#include <vector>

#include "services/model/comparison.h"

namespace regressd::report {

/// What two machines, or one at two times, do not have in common: "swappiness 60 -> 100",
/// "microcode 0x1 -> 0x2", "zswap_enabled (none) -> Y". Left out: what always differs (boot, load
/// at the start, the kernel's file on its command line) and, when `kernels_differ` as they are
/// meant to, the kernel and its configuration. Nothing at all when one side knows nothing of its
/// machine, as an import does. By name.
std::vector<std::string> DifferingFacts(const model::MachineFacts& base,
                                        const model::MachineFacts& head, bool kernels_differ);

/// The lines above a table that say in which facts a column differs from the base; empty when none
/// does, otherwise ends with an empty line.
std::string FactNotes(const model::ComparisonBlock& block);

}  // namespace regressd::report
