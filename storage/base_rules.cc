#include "storage/base_rules.h"

#include <tuple>

namespace regressd::storage {
namespace {

using Base = std::optional<std::string>;
using Groups = std::map<std::string, PlacedGroup>;
using Nearest = std::map<std::string, std::string>;

Base ArrivedBefore(const PlacedGroup& group, const Groups& groups) {
  const auto place = [](const PlacedGroup& g) { return std::tie(g.arrival_time, g.commit_id); };
  const PlacedGroup* latest = nullptr;
  for (const auto& [commit_id, other] : groups) {
    if (!other.has_runs || other.patch_base || place(other) >= place(group)) continue;
    if (latest == nullptr || place(*latest) < place(other)) latest = &other;
  }
  return latest == nullptr ? Base() : latest->commit_id;
}

bool HasRuns(const Base& commit_id, const Groups& groups) {
  if (!commit_id) return false;
  const auto group = groups.find(*commit_id);
  return group != groups.end() && group->second.has_runs;
}

Base BaseOf(const PlacedGroup& group, const Groups& groups, const Nearest& nearest) {
  if (group.patch_base) return HasRuns(group.patch_base, groups) ? group.patch_base : Base();
  if (!group.parents_known) return ArrivedBefore(group, groups);
  const auto ancestor = nearest.find(group.commit_id);
  return ancestor == nearest.end() ? Base() : ancestor->second;
}

// The groups of which the due one may be or may have been the base: it can only come in between
// them and the base that they share with it, unless they have none.
std::vector<const PlacedGroup*> Concerned(const PlacedGroup& due, const Base& due_base,
                                          const Groups& groups) {
  std::vector<const PlacedGroup*> concerned;
  for (const auto& [commit_id, group] : groups) {
    const Base& base = group.remembered_base;
    const bool touched = !HasRuns(base, groups) || base == due.commit_id ||
                         base == due.remembered_base || base == due_base;
    if (commit_id != due.commit_id && group.has_runs && touched) concerned.push_back(&group);
  }
  return concerned;
}

// Those whose base is found by walking.
std::vector<std::string> Walkers(const std::vector<const PlacedGroup*>& groups) {
  std::vector<std::string> commit_ids;
  for (const PlacedGroup* group : groups) {
    if (group->has_runs && group->parents_known && !group->patch_base) {
      commit_ids.push_back(group->commit_id);
    }
  }
  return commit_ids;
}

}  // namespace

std::vector<RegressionStore::GroupPair> ChoosePairs(const std::string& due_commit_id,
                                                    std::span<const PlacedGroup> placed,
                                                    const NearestAncestors& nearest_ancestors) {
  Groups groups;
  for (const PlacedGroup& group : placed) groups[group.commit_id] = group;
  const auto found = groups.find(due_commit_id);
  if (found == groups.end()) return {};
  const PlacedGroup& due = found->second;

  std::vector<RegressionStore::GroupPair> pairs;
  const auto add = [&pairs](const Base& base, const PlacedGroup& head) {
    const Base& shown = base ? base : head.remembered_base;
    if (shown) pairs.push_back({*shown, head.commit_id});
  };
  Nearest nearest = nearest_ancestors(Walkers({&due}));
  const Base due_base = due.has_runs ? BaseOf(due, groups, nearest) : Base();
  add(due_base, due);

  const std::vector<const PlacedGroup*> concerned = Concerned(due, due_base, groups);
  nearest = nearest_ancestors(Walkers(concerned));
  for (const PlacedGroup* group : concerned) {
    const Base base = BaseOf(*group, groups, nearest);
    if (base == due.commit_id || group->remembered_base == due.commit_id) add(base, *group);
  }
  return pairs;
}

}  // namespace regressd::storage
