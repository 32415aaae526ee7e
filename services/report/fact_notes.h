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

/// The lines above a table: in which facts, command and job settings a column differs from the
/// base, and before which runs the machine was busy. Empty when there is nothing to say, otherwise
/// ends with an empty line.
std::string FactNotes(const model::ComparisonBlock& block);
/// The same, one text each, neither wrapped nor ended.
std::vector<std::string> FactNoteLines(const model::ComparisonBlock& block);

/// How the command and the job of the first run of `head` differ from those of `base`, with both
/// values: "command ./a -> ./b", "job interval_ms 1000 -> 500". What says which kernel ran, and how
/// often, is no difference, nor are the parameters, which are axes; nor is a job that one side does
/// not have. At most so many that a table's head stays readable; the last one says how many more.
std::vector<std::string> DifferingSetup(const model::Column& base, const model::Column& head);

}  // namespace regressd::report
