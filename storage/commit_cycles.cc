#include "storage/commit_cycles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

namespace regressd::storage {
namespace {

constexpr std::int64_t kFirstLimit = 1000;
constexpr std::size_t kMaxNamed = 8;

// The links among the first `limit` commits on one side of the given ones, and last, under an empty
// child, how many commits that were. PostgreSQL stops walking at the limit.
std::string LinksOnSide(std::string_view from, std::string_view to) {
  return fmt::format(
      "WITH RECURSIVE way(id) AS (SELECT unnest($1::text[]) UNION "
      "SELECT p.{1} FROM way w JOIN commit_parent p ON p.{0} = w.id), "
      "reached AS MATERIALIZED (SELECT id FROM way LIMIT $2::int8) "
      "SELECT p.commit_id, p.parent_id FROM commit_parent p "
      "JOIN reached c ON c.id = p.commit_id JOIN reached q ON q.id = p.parent_id "
      "UNION ALL SELECT '', count(*)::text FROM reached",
      from, to);
}

// Takes the row with the number of commits out of the links.
std::int64_t TakeCount(std::vector<ParentLink>* links) {
  const auto row = std::find_if(links->begin(), links->end(),
                                [](const ParentLink& link) { return link.child.empty(); });
  std::int64_t count = 0;
  if (row == links->end()) return count;
  std::from_chars(row->parent.data(), row->parent.data() + row->parent.size(), count);
  links->erase(row);
  return count;
}

}  // namespace

std::vector<std::string> FindCycle(std::span<const ParentLink> links) {
  std::unordered_map<std::string_view, std::vector<std::string_view>> parents;
  for (const ParentLink& link : links) parents[link.child].push_back(link.parent);

  enum class Mark { kOnTheWay, kDone };
  std::unordered_map<std::string_view, Mark> marks;
  // The way from a start, with the next parent to take of each commit. No recursion: histories are
  // deep.
  std::vector<std::pair<std::string_view, std::size_t>> way;
  for (const ParentLink& link : links) {
    if (marks.contains(link.child)) continue;
    way.emplace_back(link.child, 0);
    while (!way.empty()) {
      auto& [commit, next] = way.back();
      const auto known = parents.find(commit);
      if (known == parents.end() || next == known->second.size()) {
        marks[commit] = Mark::kDone;
        way.pop_back();
        continue;
      }
      marks[commit] = Mark::kOnTheWay;
      const std::string_view parent = known->second[next++];
      const auto mark = marks.find(parent);
      if (mark == marks.end()) {
        way.emplace_back(parent, 0);
      } else if (mark->second == Mark::kOnTheWay) {
        auto begin = std::find_if(way.begin(), way.end(),
                                  [&](const auto& step) { return step.first == parent; });
        std::vector<std::string> cycle;
        for (; begin != way.end(); ++begin) cycle.emplace_back(begin->first);
        return cycle;
      }
    }
  }
  return {};
}

absl::Status CheckNoCycle(std::span<const std::string> cycle) {
  if (cycle.empty()) return absl::OkStatus();
  const auto named = cycle.first(std::min(cycle.size(), kMaxNamed));
  return absl::InvalidArgumentError(fmt::format(
      "commit {0} would be its own ancestor, by its parents {1}{2} -> {0}; correct the parents of "
      "one of them",
      cycle.front(), fmt::join(named, " -> "), named.size() < cycle.size() ? " -> ..." : ""));
}

absl::Status CheckNoCycleThrough(const std::vector<std::string>& commit_ids,
                                 const ReadLinks& read) {
  if (commit_ids.empty()) return absl::OkStatus();
  static const std::string kOlder = LinksOnSide("commit_id", "parent_id");
  static const std::string kNewer = LinksOnSide("parent_id", "commit_id");
  // A cycle lies whole on either side, so the side that is known whole first is enough: new commits
  // have few that are newer, old ones that are told late few that are older.
  const auto count = static_cast<std::int64_t>(commit_ids.size());
  for (std::int64_t limit = kFirstLimit + 2 * count;; limit *= 4) {
    for (const std::string* side : {&kNewer, &kOlder}) {
      auto links = read(*side, commit_ids, limit);
      if (!links.ok()) return links.status();
      if (TakeCount(&*links) >= limit) continue;
      return CheckNoCycle(FindCycle(*links));
    }
  }
}

}  // namespace regressd::storage
