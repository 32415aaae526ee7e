#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/commit.h"

namespace regressd::storage {

/// Its parents are known: it has some, or is known to have none.
bool ParentsKnown(const model::Commit& commit);

/// The commit in the one form in which it is kept: the id of a patch derived, its subject and
/// author those of the mail where the commit has none, branches and tags sorted, each once. Errors:
/// InvalidArgument when the id is empty or another than the patch's, when it is its own parent or
/// its own base, is a root with parents, or a text cannot be stored.
absl::StatusOr<model::Commit> NormalCommit(const model::Commit& commit);

/// The name among a run's notes of what it said of its commit's parents and was not taken.
inline constexpr char kParentsNote[] = "commit parents";

struct MergedCommit {
  model::Commit commit;
  bool changed = false;
  bool parents_learned = false;
};

/// `known` with what it lacks filled in from `added`; what is known and not empty stays,
/// branches and tags are united. Both are normal. Errors: AlreadyExists when both know their
/// parents and disagree; it names both.
absl::StatusOr<MergedCommit> MergeCommits(const model::Commit& known, const model::Commit& added);

}  // namespace regressd::storage
