#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/model/time.h"
#include "storage/regression_store.h"

namespace regressd::storage {

/// How far a walk along first parents goes.
inline constexpr int kMaxAncestorSteps = 20000;

/// A run group among those of the same axes.
struct PlacedGroup {
  std::string commit_id;
  model::Time arrival_time;
  std::optional<std::string> remembered_base;
  std::optional<std::string> patch_base;  ///< Set when its commit is a patch.
  bool parents_known = false;
  bool has_runs = false;  ///< Some run takes part in comparisons.
};

/// For each of the commits its nearest first-parent ancestor whose group has runs, where there is
/// one.
using NearestAncestors =
    std::function<std::map<std::string, std::string>(const std::vector<std::string>& commit_ids)>;

/// RegressionStore::PairsOf on what is known of the groups of one set of axes; no pairs when the
/// due one is not among them. The due group's own pair comes first.
///
/// Only groups with runs serve as bases, and patches never to a commit whose parents are not known.
/// Of the other groups those come that have, or had, the due one as their base. Calls `nearest` at
/// most twice.
std::vector<RegressionStore::GroupPair> ChoosePairs(const std::string& due_commit_id,
                                                    std::span<const PlacedGroup> groups,
                                                    const NearestAncestors& nearest);

}  // namespace regressd::storage
