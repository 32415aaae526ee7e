#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace regressd::storage {

/// Who adds parents to commits holds this transaction lock from before its first look at them: of
/// two that would close a cycle together, the second sees the first.
inline constexpr std::int64_t kCommitParentsLock = 0x636f6d6d697473;  // "commits"

struct ParentLink {
  std::string child;
  std::string parent;
};

/// Some way along `links` from a commit back to itself, each commit once; empty when there is none.
std::vector<std::string> FindCycle(std::span<const ParentLink> links);

/// OK for no cycle. Errors: InvalidArgument naming its commits.
absl::Status CheckNoCycle(std::span<const std::string> cycle);

/// Runs a statement with a text[] and an int8 as parameters; its rows are two texts.
using ReadLinks = std::function<absl::StatusOr<std::vector<ParentLink>>(
    const std::string& sql, const std::vector<std::string>& commit_ids, std::int64_t limit)>;

/// Looks for a cycle through one of the commits, whose parents are stored already in this
/// transaction. Reads about as much history as lies on the shorter of the two sides of them, older
/// or newer. Errors: as CheckNoCycle, and those of `read`.
absl::Status CheckNoCycleThrough(const std::vector<std::string>& commit_ids, const ReadLinks& read);

}  // namespace regressd::storage
